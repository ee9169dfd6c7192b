/* Tails and quantiles of the distributions that tests and intervals need. */
#ifndef SCORE_TAILS_H
#define SCORE_TAILS_H

/* The upper tail of the regularised incomplete gamma function. */
double gamma_tail(double a, double x); /* x > 0 */
/* P(F > f) with so many degrees of freedom. */
double f_tail(double f, double first, double second);
/* Of the range of k standard normal numbers: that share of them lies below. */
double range_quantile(double share, double k);
/* P(|t| > quantile) = alpha for Student's t. */
double student_quantile(double freedom, double alpha);

#endif
