library(testthat)
library(orthant)
test_check("orthant")
