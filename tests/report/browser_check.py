"""Opens report pages in a headless browser and checks what a reader relies on:

    browser_check.py report.html ...
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402

failures = []


def expect(truth, what):
    if not truth:
        failures.append(what)


WITHOUT_TEXT = """[...document.querySelectorAll('img')].filter(e => !(e.getAttribute('alt') || '').trim()).length +
    [...document.querySelectorAll('svg')].filter(e => !(e.getAttribute('aria-label') || '').trim() ||
    e.getAttribute('role') !== 'img').length"""
TWICE = """(() => { const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    return ids.filter((id, i) => ids.indexOf(id) !== i) })()"""
BROKEN = "[...document.querySelectorAll('use')].filter(e => !document.querySelector(e.getAttribute('xlink:href'))).length"
LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
# How far apart in brightness, 0 to 255, are the page and the texts of its charts and captions.
CONTRAST = """(() => { const bright = c => { const v = c.match(/[0-9.]+/g).map(Number);
    return v.length > 3 && v[3] === 0 ? 255 : 0.3 * v[0] + 0.59 * v[1] + 0.11 * v[2] };
    const page = bright(getComputedStyle(document.body).backgroundColor);
    return Math.min(...[...document.querySelectorAll('svg text, figcaption, p, td')]
        .map(e => { const s = getComputedStyle(e); return Math.abs(page - bright(e.closest('svg') ? s.fill : s.color)) })) })()"""
# The first table with at least two rows and a column of numbers; its cells by the key that sorts.
TABLE = """[...document.querySelectorAll('table.sheet')].find(t => t.tBodies[0] && t.tBodies[0].rows.length > 1 &&
    t.tHead.querySelector('th.n'))"""
COLUMN = "[...%s.tHead.rows[0].cells].findIndex(h => h.classList.contains('n'))" % TABLE
KEYS = "[...%s.tBodies[0].rows].map(r => r.cells[%s].getAttribute('data-v')).filter(v => v !== null).map(Number)" % (
    TABLE, COLUMN)
HEAD = "%s.tHead.rows[0].cells[%s]" % (TABLE, COLUMN)


def check_source(path):
    text = open(path, encoding="utf-8").read()
    found = re.findall(r"""(?:src|href|action|data)\s*=\s*["']?\s*(?:https?:)?//[^"' >]+|url\(\s*["']?(?:https?:)?//[^)]+|@import""", text)
    expect(not found, f"{path}: asks for the network: {found[:3]}")


def check_sorting(tab, path):
    expect(tab.evaluate(f"!!{TABLE}"), f"{path}: no table that can be sorted")
    if not tab.evaluate(f"!!{TABLE}"):
        return
    before = tab.evaluate(KEYS)
    foot = tab.evaluate(f"{TABLE}.tFoot ? {TABLE}.tFoot.textContent : ''")
    expect(tab.evaluate(f"{HEAD}.getAttribute('aria-sort')") == "none", f"{path}: aria-sort before a click")
    tab.evaluate(f"{HEAD}.querySelector('button').click()")
    expect(tab.evaluate(KEYS) == sorted(before, reverse=True), f"{path}: a click sorts from the largest: {tab.evaluate(KEYS)}")
    expect(tab.evaluate(f"{HEAD}.getAttribute('aria-sort')") == "descending", f"{path}: aria-sort after a click")
    tab.evaluate(f"{HEAD}.querySelector('button').focus()")
    tab.key("Enter", 13)
    expect(tab.evaluate(KEYS) == sorted(before), f"{path}: Enter sorts the other way round: {tab.evaluate(KEYS)}")
    expect(tab.evaluate(f"{HEAD}.getAttribute('aria-sort')") == "ascending", f"{path}: aria-sort after Enter")
    expect(tab.evaluate(f"{TABLE}.tFoot ? {TABLE}.tFoot.textContent : ''") == foot, f"{path}: the foot has moved")


def chart_count(tab):
    return tab.evaluate("document.querySelectorAll('script.values').length")


def chart_svg(index):
    return f"document.querySelectorAll('script.values')[{index}].parentNode.querySelector('svg')"


TIP = "(t => t && !t.hidden ? [...t.children].map(e => e.textContent) : null)(document.querySelector('.tip'))"


def scroll_to(tab, element):
    tab.evaluate(f"{element}.scrollIntoView({{block: 'center'}})")
    # The event of the scrolling, which hides what the mouse shows, comes with the next frame.
    tab.evaluate_later("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def told_at(data, stop):
    """What a chart of several lines shows at a stop, as names: a line tells nothing before its first point and behind its last."""
    here = [line["name"] for line in data["lines"]
            if [p for p in line["points"] if p[1] is not None] and
            min(p[0] for p in line["points"]) <= stop <= max(p[0] for p in line["points"])]
    return here if data["sideways"] else [data["across"]] + here


def check_lines(tab, path, index, data):
    """A chart of several lines: the keys tell the values at the ends, the mouse those beneath it."""
    svg = chart_svg(index)
    stops = sorted({p[0] for line in data["lines"] for p in line["points"] if p[1] is not None})
    if not stops:
        return
    scroll_to(tab, svg)
    tab.evaluate(svg + ".focus()")
    for key, code, stop in (("End", 35, stops[0] if data["sideways"] else stops[-1]),
                            ("Home", 36, stops[-1] if data["sideways"] else stops[0])):
        for _ in range(2):  # the first key enters a chart whose points lie below each other
            tab.key(key, code)
        shown, names = tab.evaluate(TIP), told_at(data, stop)
        expect(shown is not None and len(shown) == len(names) and all(s.startswith(n) for s, n in zip(shown, names)),
               f"{path}: chart {index} tells {shown} at {stop}, expected {names}")
        for line in data["lines"]:
            for p in line["points"]:
                if p[0] == stop and p[1] is not None and shown:
                    value = tab.evaluate(f"orthant.number({p[1]!r})")
                    expect(any(s.startswith(f"{line['name']} {value}") for s in shown), f"{path}: {line['name']} {value} not in {shown}")
    expect(tab.evaluate("document.querySelector('[aria-live]').textContent.length") > 3, f"{path}: keys tell no values")
    tab.key("Escape", 27)
    left, top, width, height = tab.evaluate(f"(r => [r.left, r.top, r.width, r.height])({svg}.getBoundingClientRect())")
    tab.mouse("mouseMoved", left + 0.6 * width, top + height / 2)
    expect(tab.evaluate(TIP), f"{path}: chart {index} shows nothing under the mouse")
    tab.mouse("mouseMoved", 1, 1)
    expect(not tab.evaluate(TIP), f"{path}: values stay when the mouse has gone")


def check_values(tab, path):
    """Numbers under the mouse and under the keys are those of the charts' data."""
    for index in range(chart_count(tab)):
        data = json.loads(tab.evaluate(f"document.querySelectorAll('script.values')[{index}].textContent"))
        if "lines" in data:
            check_lines(tab, path, index, data)
        else:
            check_rows(tab, path, index)


def check_rows(tab, path, index):
    """One run over its iterations: the first and the last at the frame's edges."""
    svg, block = chart_svg(index), f"document.querySelectorAll('script.values')[{index}]"
    scroll_to(tab, svg)
    left, top, width, height = tab.evaluate(f"(r => [r.left, r.top, r.width, r.height])({svg}.getBoundingClientRect())")
    edges = [float(v) for v in tab.evaluate(f"{block}.dataset.frame").split()]
    for share, row in ((edges[1], -1), (edges[0], 0)):
        tab.mouse("mouseMoved", left + share * width, top + height / 2)
        values = tab.evaluate(f"(d => d.rows.at({row}).map((v, c) => d.names[c] + ' ' + orthant.number(v)))(JSON.parse({block}.textContent))")
        expect(tab.evaluate(TIP) == values, f"{path}: hover shows {tab.evaluate(TIP)} where the data have {values}")
    tab.evaluate(svg + ".focus()")
    tab.key("End", 35)
    expect("iteration" in tab.evaluate("document.querySelector('[aria-live]').textContent"), f"{path}: keys tell no values")


def check_toggles(tab, path):
    """A button for each line of a chart takes it away, with its bars and its values, and brings it back."""
    button = "document.querySelector('.chart + .tools button')"
    if not tab.evaluate(f"!!{button}"):
        return False
    chart = "document.querySelector('.chart + .tools').previousElementSibling"
    hidden = f"[...{chart}.querySelectorAll('g')].filter(g => g.style.display === 'none').length"
    name = tab.evaluate(button + ".textContent")
    expect(tab.evaluate(f"!!{button}.querySelector('.chip')"), f"{path}: no swatch in the legend")
    scroll_to(tab, chart)
    tab.evaluate(button + ".focus()")
    tab.key("Enter", 13)
    expect(tab.evaluate(hidden) >= 1 and tab.evaluate(button + ".getAttribute('aria-pressed')") == "false", f"{path}: a line stays")
    if tab.evaluate(f"!!{chart}.parentNode.querySelector('script.values')"):
        tab.evaluate(chart + ".querySelector('svg').focus()")
        tab.key("Home", 36)
        shown = tab.evaluate(TIP)
        expect(shown and not any(s.startswith(name + " ") for s in shown), f"{path}: {name} is switched off and told: {shown}")
    tab.evaluate(button + ".click()")
    expect(tab.evaluate(hidden) == 0, f"{path}: a line does not come back")
    return True


# Every button, choice, slider and fold that can be seen, as often as it takes to come back; what a click brings is clicked as well.
CLICK_ALL = """(() => { let count = 0; const done = new Set(), seen = e => e.offsetParent !== null && !done.has(e);
    for (let round = 0; round < 4; round++) {
        document.querySelectorAll('summary').forEach(e => { if (seen(e)) { done.add(e); e.click(); count++ } });
        document.querySelectorAll('button').forEach(e => { if (seen(e) && e.isConnected) { done.add(e); e.click(); if (e.isConnected) e.click(); count++ } });
        document.querySelectorAll('select').forEach(e => { if (!seen(e)) return; done.add(e); count++;
            for (let i = e.options.length - 1; i >= 0; i--) { e.selectedIndex = i; e.dispatchEvent(new Event('change')) } });
        document.querySelectorAll('input[type=range]').forEach(e => { if (!seen(e)) return; done.add(e); count++;
            for (const v of [e.min, e.max]) { e.value = v; e.dispatchEvent(new Event('input')) } });
    }
    return count })()"""
# Names of lines that lie on the frame of their chart.
ON_FRAME = """[...document.querySelectorAll('script.values')].flatMap(block => { const svg = block.parentNode.querySelector('svg');
    const [left, right, bottom, top] = block.dataset.frame.split(' ').map(Number), box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
        const x = (r.left + r.width / 2 - box.left) / box.width, y = 1 - (r.top + r.height / 2 - box.top) / box.height;
        return r.width && x > left && x < right && y < top && y > bottom }).map(t => t.textContent) })"""
# Texts of charts that reach beyond the picture.
CUT_OFF = """[...document.querySelectorAll('.chart svg')].flatMap(svg => { const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect();
        return r.width && (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1) })
        .map(t => t.textContent) })"""


# What a screen reader could not name, as axe would find it: buttons, choices and links without a text, focus on something
# that says nothing, table heads without a scope, levels of headings that are left out.
NAMELESS = """[...document.querySelectorAll('button, select, a[href], [tabindex], [role=application], summary')].filter(e =>
    !(e.getAttribute('aria-label') || e.textContent || '').trim() && !(e.labels && e.labels.length)).map(e => e.outerHTML.slice(0, 80))"""
LEVELS = """(() => { const l = [...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]));
    return l[0] === 1 && l.filter(x => x === 1).length === 1 && l.every((x, i) => !i || x <= l[i - 1] + 1) })()"""
# The contrast of each visible text beside what lies behind it, by WCAG; the browser itself mixes the colours.
LOW_CONTRAST = """(() => { const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const over = (below, colour) => { for (const c of [below, colour]) { pen.fillStyle = c; pen.fillRect(0, 0, 1, 1) }
        return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3) };
    const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = e => e ? over(`rgb(${behind(e.parentElement)})`, getComputedStyle(e).backgroundColor) : [255, 255, 255];
    return [...document.querySelectorAll('p, td, th, li, a, button, label, select, figcaption, summary, h1, h2, h3, footer, td span')].filter(e => {
        if (!e.offsetParent || !e.textContent.trim()) return false;
        const back = behind(e), x = light(over(`rgb(${back})`, getComputedStyle(e).color)), y = light(back);
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05) < 4.5 }).map(e => e.outerHTML.slice(0, 80)) })()"""
# Elements in the order of the Tab key that show no outline when they have the focus.
UNSEEN_FOCUS = """[...document.querySelectorAll('button, select, summary, [tabindex="0"]')].filter(e => e.offsetParent || e.ownerSVGElement === null)
    .filter(e => { e.focus({focusVisible: true}); if (document.activeElement !== e) return false; const s = getComputedStyle(e);
        return s.outlineStyle === 'none' || parseFloat(s.outlineWidth) === 0 }).map(e => e.outerHTML.slice(0, 80))"""


def check_access(tab, name):
    expect(not tab.evaluate(NAMELESS), f"{name}: without a name: {tab.evaluate(NAMELESS)[:3]}")
    expect(tab.evaluate(LEVELS), f"{name}: headings leave out a level")
    expect(not tab.evaluate(LOW_CONTRAST), f"{name}: contrast below 4.5: {tab.evaluate(LOW_CONTRAST)[:3]}")
    unseen = tab.evaluate(UNSEEN_FOCUS)
    expect(not unseen, f"{name}: focus is not seen: {unseen[:3]}")


def check_links(tab, path):
    folder = os.path.dirname(path)
    for link in tab.evaluate(LINKS):
        if link.startswith("#"):
            expect(tab.evaluate(f"!!document.getElementById({link[1:]!r})"), f"{path}: leads nowhere: {link}")
        else:
            expect(os.path.exists(os.path.join(folder, link)), f"{path}: no such file: {link}")


def check(tab, path):
    check_source(path)
    for width, dark in ((1280, False), (1280, True), (375, False), (375, True)):
        name = f"{path} at {width} px, {'dark' if dark else 'light'}"
        tab.emulate(width, dark=dark)
        tab.open(path)
        tab.evaluate("[...document.querySelectorAll('details')].forEach(d => d.open = true)")
        wide = tab.evaluate("document.documentElement.scrollWidth")
        expect(wide <= width, f"{name}: {wide} px wide")
        contrast = tab.evaluate(CONTRAST)
        expect(contrast >= 90, f"{name}: texts differ from the page by {contrast:.0f} of 255 alone")
        dark_page = tab.evaluate("parseInt(getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0])") < 128
        expect(dark_page == dark, f"{name}: the page is {'dark' if dark_page else 'light'}")
        check_access(tab, name)
        cut = tab.evaluate(CUT_OFF)
        expect(not cut, f"{name}: texts of charts are cut off: {cut[:5]}")
        covered = tab.evaluate(ON_FRAME)
        expect(not covered, f"{name}: names lie over the lines: {covered[:5]}")
        if not dark:
            check_sorting(tab, name)
        expect(not tab.complaints(), f"{name}: {tab.complaints()}")
    expect(tab.evaluate(WITHOUT_TEXT) == 0, f"{path}: pictures without a text in their place")
    expect(not tab.evaluate(TWICE), f"{path}: ids that are there twice: {tab.evaluate(TWICE)}")
    expect(tab.evaluate(BROKEN) == 0, f"{path}: marks of charts that are not there")
    expect(tab.evaluate("(document.querySelector('.lead') || {textContent: ''}).textContent.trim().length") > 20, f"{path}: no summary")
    check_links(tab, path)


def check_without_script(path):
    """As text, since a page without scripts cannot be asked: no button, and every table is there."""
    text = open(path, encoding="utf-8").read()
    body = text[text.index("<body>"):text.index("<script>")]
    expect("<button" not in body, f"{path}: buttons that do nothing without a script")
    expect(body.count("<table") == body.count("</table>") > 0, f"{path}: no tables")


if not browser.find():
    print("skipped: no Chromium (scripts/setup ci installs it)")
    sys.exit(77)
toggled, valued = False, 0
with browser.Browser() as tab:
    for page in sys.argv[1:]:
        check(tab, page)
        toggled |= check_toggles(tab, page)
        valued += chart_count(tab)
        check_values(tab, page)
        expect(tab.evaluate(CLICK_ALL) > 0, f"{page}: nothing to click")
        expect(not tab.complaints(), f"{page}, everything clicked: {tab.complaints()}")
        check_without_script(page)
expect(valued > 0, "no chart with values")
expect(toggled, "no chart whose lines can be switched off")
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
