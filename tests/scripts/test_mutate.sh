# scripts/mutate finds what can be changed, the same for a seed, and nothing in comments, strings or declarations.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

"$ORTHANT_SOURCE/scripts/mutate" --list --count 20 --seed 3 --only src/core >"$work/one" || exit 1
"$ORTHANT_SOURCE/scripts/mutate" --list --count 20 --seed 3 --only src/core/ >"$work/two" || exit 1
"$ORTHANT_SOURCE/scripts/mutate" --list --count 20 --seed 4 --only src/core >"$work/three" || exit 1
cmp "$work/one" "$work/two" || { echo "the same seed gives other changes"; exit 1; }
! cmp -s "$work/one" "$work/three" || { echo "another seed gives the same changes"; exit 1; }
[ "$(grep -c '^src/core/[a-z0-9_]*\.c:[0-9]*: ' "$work/one")" -eq 20 ] || { cat "$work/one"; exit 1; }

cat >"$work/sample.c" <<'END'
#define TWO 2
/* a + b; f(1, 2); */
static const int table[] = {7};
struct pair {
    int left[3], right;
};
int f(int a, int b)
{
    int unset[4];
    const char *text = "1 + 2";
    assert(a < 5);
    if (a < b && text)
        return g(a, b) - 1;
    unset[0] = a * b; // 9
    return unset[0];
}
END
python3 - "$ORTHANT_SOURCE/scripts" "$work/sample.c" >"$work/found" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from mutants import mutants_of
text = open(sys.argv[2]).read()
for m in mutants_of("sample.c", text):
    print(m.line, m.kind, repr(text[m.start:m.end]), repr(m.new))
END
cat >"$work/expected" <<'END'
3 constant '7' '8'
3 constant '7' '14'
12 negated condition 'a < b && text' '!(a < b && text)'
12 operator '<' '<='
12 operator '<' '>'
12 operator '<' '>='
12 operator '&&' '||'
13 swapped arguments 'a, b' 'b, a'
13 operator '-' '+'
13 constant '1' '0'
13 constant '1' '2'
14 dropped statement 'unset[0] = a * b;' ';'
14 constant '0' '1'
14 operator '*' '/'
14 operator '*' '+'
15 constant '0' '1'
END
diff "$work/expected" "$work/found" || { echo "other changes than expected"; exit 1; }
