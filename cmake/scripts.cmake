# Turns the scripts of report pages into lines of C, one file behind the other:
# cmake -DOUT=scripts.inc "-DFILES=page.js;..." -P scripts.cmake
set(lines "/* Made from the scripts in src/report by cmake/scripts.cmake. */\n")
foreach(path IN LISTS FILES)
    file(READ ${path} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\",\n\"" text "${text}")
    string(APPEND lines "\"${text}\",\n")
endforeach()
file(WRITE ${OUT} "${lines}")
