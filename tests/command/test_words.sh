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
[ "$(paste -sd' ' counts.labels.csv)" = 'class food food space space' ] || say_failed "labels: $(paste -sd' ' counts.labels.csv)"
grep -q 'of 15 different words 5 are counted; left out: 4 stop words, 6 that are rarer than asked for' .err || say_failed "left out: $(cat .err)"
expect_success 'dense' words texts --stop-words english --min-documents 2 -o counts.csv
[ "$(paste -sd' ' counts.csv)" = 'sample,bread,butter,moon,rocket,soup food/c.txt,2,1,0,0,1 food/d.txt,1,1,0,0,2 space/a.txt,0,0,2,2,0 space/b.txt,0,0,1,1,0' ] || say_failed "counts: $(paste -sd' ' counts.csv)"
expect_success 'JSON' words texts --max-words 3 --json -o few.csr
[ "$(cat .out)" = '{"documents": 4, "words": 3, "nonzeros": 6, "classes": 2, "counts": "few.csr", "vocabulary": "few.words.txt"}' ] || say_failed "JSON: $(cat .out)"
[ "$(paste -sd' ' few.words.txt)" = 'bread moon the' ] || say_failed "the most frequent: $(paste -sd' ' few.words.txt)"
expect_success 'letters beyond ASCII' words texts -o all.csr
grep -qx 'süße' all.words.txt || say_failed "UTF-8: $(paste -sd' ' all.words.txt)"
grep -qx 'naïve' all.words.txt || say_failed "UTF-8: $(paste -sd' ' all.words.txt)"
grep -qx 'x' all.words.txt && say_failed 'a single letter is a word'

printf 'apple pear apple\n\npear plum\n  \nplum plum apple\n' >lines.txt
expect_success 'lines' words lines.txt --min-count 3 -o lines.csv
[ "$(paste -sd' ' lines.csv)" = 'sample,apple,plum 1,2,0 3,0,1 5,1,2' ] || say_failed "lines: $(paste -sd' ' lines.csv)"
echo Apple >mine.txt
expect_success 'stop words of a file' words lines.txt --stop-words mine.txt -o mine.csv
[ "$(paste -sd' ' mine.words.txt)" = 'pear plum' ] || say_failed "stop words: $(paste -sd' ' mine.words.txt)"

"$ORTHANT_COMMAND" words - --min-count 3 -o piped.csv <lines.txt >.out 2>.err || say_failed "standard input: $(cat .err)"
cmp -s lines.csv piped.csv || say_failed "standard input: $(cat piped.csv)"
grep -q 'of 3 different words 2 are counted; left out: 1 that is rarer than asked for' .err || say_failed "one left out: $(cat .err)"
expect_success 'counts as a table are read back with their names' cluster counts.csv -m nmf -k 2 -o table
expect_text '4 samples, 5 features'
[ "$(sed -n 2p table/samples.csv | cut -d, -f2)" = food/c.txt ] || say_failed "names of documents: $(cat table/samples.csv)"
[ "$(sed -n 2p table/basis.csv | cut -d, -f1)" = bread ] || say_failed "names of words: $(cat table/basis.csv)"

expect_success 'clusters with their words' cluster counts.csr -m nmf -k 2 --scale tfidf --words counts.words.txt -o run
expect_text '^accuracy +100.00 %'
grep -q ',rocket,' run/words.csv || say_failed "words.csv: $(cat run/words.csv)"
# The words and the documents' names are found beside the counts.
expect_success 'words beside' cluster counts.csr -m nmf -k 2 --scale tfidf -o beside
cmp -s run/words.csv beside/words.csv || say_failed "words beside: $(cat beside/words.csv)"
grep -q '^2,space/a.txt,space,' beside/samples.csv || say_failed "documents beside: $(cat beside/samples.csv)"
grep -q '<ul class="bars"><li><span>' beside/report.html || say_failed "the cards have no words of their part"
grep -q 'space/a.txt: <span class="soft">' beside/report.html || say_failed "the cards do not tell a document's words"

expect_error 2 'FOLDER or FILE is missing' words -o x.csr
expect_error 2 '-o FILE is missing' words texts
expect_error 2 'expected english, none or a file' words texts --stop-words klingon -o x.csr
expect_error 1 'of 15 different words in 4 documents none is counted: 4 stop words, 11 that are rarer than asked for' words texts --stop-words english --min-documents 9 -o x.csr
mkdir empty
# What is left out, and what is no text.
cp -r texts more
mkdir more/none
echo 'nobody reads this' >more/root.txt
expect_success 'files beside the classes' words more -o more.csr
expect_text '^4 documents,'
grep -q "more: 1 files beside the subfolders, which are the classes, are left out, 'more/root.txt' first" .err || say_failed "a file beside the classes: $(cat .err)"
grep -q "more: 1 subfolders without files are no class, 'more/none' first" .err || say_failed "an empty class: $(cat .err)"
printf 'numbers\0in bytes' >binary.txt
expect_error 1 'binary.txt: holds a zero byte; expected a text in UTF-8' words binary.txt -o x.csr
expect_error 1 'no pictures in the folder.*orthant words' info texts
expect_error 1 'no files in the folder' words empty -o x.csr
expect_error 1 'nothing.txt' words nothing.txt -o x.csr
finish
