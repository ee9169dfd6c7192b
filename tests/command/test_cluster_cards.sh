# clusters.json: sizes, main classes, typical and doubtful samples, beside plain loops over the run's own files.
source "$ORTHANT_SOURCE/tests/command/support.bash" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
digits=$ORTHANT_SOURCE/data/digits/digits-images-idx3-ubyte.gz
expect_success "cluster" cluster "$digits" -m nmf -k 6 --iterations 40 -o run
grep -q '<h2[^>]*>Clusters' run/report.html || say_failed "the page has no section of clusters"
[ "$(grep -c '<section class="card"' run/report.html)" -eq 6 ] || say_failed "there are not six cards"
python3 - <<'END' || say_failed "clusters.json is not what the run's files say"
import array, json, math, re
raw = open("run/encoding.npy", "rb").read()
head = raw[10:10 + int.from_bytes(raw[8:10], "little")].decode()
rows, parts = map(int, re.search(r"\((\d+), (\d+)\)", head).groups())
values = array.array("f", raw[10 + len(head):])
assert len(values) == rows * parts
unit = []
for i in range(rows):
    row = values[i * parts:(i + 1) * parts]
    length = math.sqrt(sum(x * x for x in row)) or 1
    unit.append([x / length for x in row])
column = lambda name: [int(line.split(",")[-1]) for line in open(name) if line.strip().lstrip("-")[0].isdigit()]
labels, truth = column("run/labels.csv"), column("run/truth.csv")
assert len(labels) == len(truth) == rows
centre = {}
for l in set(labels):
    own = [u for u, x in zip(unit, labels) if x == l]
    centre[l] = [sum(c) / len(own) for c in zip(*own)]
away = lambda u, c: sum((a - b) ** 2 for a, b in zip(u, c))
cards = json.load(open("run/clusters.json"))["clusters"]
assert sorted(card["cluster"] for card in cards) == sorted(centre)
for card in cards:
    l = card["cluster"]
    own = [i for i in range(rows) if labels[i] == l]
    assert card["size"] == len(own)
    counts = {t: sum(truth[i] == t for i in own) for t in set(truth)}
    assert abs(card["share"] - max(counts.values()) / len(own)) < 1e-12 and counts[card["class"]] == max(counts.values())
    assert centre[l][card["part"]] == max(centre[l])
    near = {i: away(unit[i], centre[l]) for i in own}
    margin = {i: min(away(unit[i], centre[o]) for o in centre if o != l) - near[i] for i in own}
    typical, doubtful = ([s["sample"] for s in card[kind]] for kind in ("typical", "doubtful"))
    assert [near[i] for i in typical] == sorted(near.values())[:6], card
    assert [margin[i] for i in doubtful] == sorted(margin.values())[:6], card
    assert not set(typical) & set(doubtful)
END
rm run/report.html
expect_success "report" report run
[ "$(grep -c '<section class="card"' run/report.html)" -eq 6 ] || say_failed "the page made again has other cards"

# Names stand where there are no pictures; a damaged file is refused.
write_blocks
(echo name,a,b,c,d,e,f,g,h; nl -ba -s, blocks.csv | sed 's/^ */row /') >named.csv
expect_success "named" cluster named.csv --id-column name -m nmf -k 3 -o named
grep -q '<li>row [0-9]*: <span class="soft">[a-h]' named/report.html || say_failed "no names and features in the cards"
echo '{"clusters": [{"cluster": "x", "typical": 3}]}' >run/clusters.json
expect_error 1 'clusters.json' report run

finish
