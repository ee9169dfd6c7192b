# Documents to counts: folders with classes, lines, stop words, limits, and the vocabulary in a report.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1

mkdir -p texts/space texts/food
echo 'The rocket and the moon. A ROCKET lands; moon-dust, x.' >texts/space/a.txt
echo 'Orbit of the moon: the rocket orbits.' >texts/space/b.txt
echo 'Soup with bread and butter, bread!' >texts/food/c.txt
printf 'Butter bread; Süße soup. na\303\257ve\n\nsoup' >texts/food/d.txt

expect_success 'a folder' words texts --stop-words english --min-documents 2 -o counts.csr
expect_text '^4 documents, 5 words, 10 counts that are not zero, 2 classes$'
[ "$(paste -sd' ' counts.words.txt)" = 'bread butter moon rocket soup' ] || say_failed "words: $(paste -sd' ' counts.words.txt)"
[ "$(paste -sd' ' counts.labels.csv)" = '0 0 1 1' ] || say_failed "labels: $(paste -sd' ' counts.labels.csv)"
expect_success 'dense' words texts --stop-words english --min-documents 2 -o counts.csv
[ "$(paste -sd' ' counts.csv)" = '2,1,0,0,1 1,1,0,0,2 0,0,2,2,0 0,0,1,1,0' ] || say_failed "counts: $(paste -sd' ' counts.csv)"
expect_success 'JSON' words texts --max-words 3 --json -o few.csr
[ "$(cat .out)" = '{"documents": 4, "words": 3, "nonzeros": 6, "classes": 2, "counts": "few.csr", "vocabulary": "few.words.txt"}' ] || say_failed "JSON: $(cat .out)"
[ "$(paste -sd' ' few.words.txt)" = 'bread moon the' ] || say_failed "the most frequent: $(paste -sd' ' few.words.txt)"
expect_success 'letters beyond ASCII' words texts -o all.csr
grep -qx 'süße' all.words.txt || say_failed "UTF-8: $(paste -sd' ' all.words.txt)"
grep -qx 'naïve' all.words.txt || say_failed "UTF-8: $(paste -sd' ' all.words.txt)"
grep -qx 'x' all.words.txt && say_failed 'a single letter is a word'

printf 'apple pear apple\n\npear plum\n  \nplum plum apple\n' >lines.txt
expect_success 'lines' words lines.txt --min-count 3 -o lines.csv
[ "$(paste -sd' ' lines.csv)" = '2,0 0,1 1,2' ] || say_failed "lines: $(paste -sd' ' lines.csv)"
echo Apple >mine.txt
expect_success 'stop words of a file' words lines.txt --stop-words mine.txt -o mine.csv
[ "$(paste -sd' ' mine.words.txt)" = 'pear plum' ] || say_failed "stop words: $(paste -sd' ' mine.words.txt)"

expect_success 'clusters with their words' cluster counts.csr -m nmf -k 2 --scale tfidf --words counts.words.txt -o run
expect_text '^accuracy +100.00 %'
grep -q ',rocket,' run/words.csv || say_failed "words.csv: $(cat run/words.csv)"

expect_error 2 'FOLDER or FILE is missing' words -o x.csr
expect_error 2 '-o FILE is missing' words texts
expect_error 2 'expected english, none or a file' words texts --stop-words klingon -o x.csr
expect_error 1 'none is left to count' words texts --min-documents 9 -o x.csr
mkdir empty
expect_error 1 'no files in the folder' words empty -o x.csr
expect_error 1 'nothing.txt' words nothing.txt -o x.csr
finish
