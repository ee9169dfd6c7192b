# Every link of the documents leads to a file and a heading that is there, and every document has its place on the site.
set -u
python3 "$ORTHANT_SOURCE/scripts/make-site" --check || exit 1
echo ok
