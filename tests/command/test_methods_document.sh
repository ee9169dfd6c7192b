# docs/methods.md is what the table of methods says now.
set -u
if ! diff <("$ORTHANT_SOURCE/scripts/document-methods") "$ORTHANT_SOURCE/docs/methods.md"; then
    echo "docs/methods.md is not what the table says: scripts/document-methods >docs/methods.md"
    exit 1
fi
echo "docs/methods.md agrees with the table of methods"
