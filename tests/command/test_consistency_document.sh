# docs/consistency.md is what the papers' figures say now.
set -u
if ! diff <("$ORTHANT_SOURCE/scripts/document-consistency") "$ORTHANT_SOURCE/docs/consistency.md"; then
    echo "docs/consistency.md is not what the figures say: scripts/document-consistency >docs/consistency.md"
    exit 1
fi
echo "docs/consistency.md agrees with the papers' figures"
