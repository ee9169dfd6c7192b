"""Opens report pages in a headless browser and checks what a reader relies on:

    browser_check.py report.html ...
"""
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
        if not dark:
            check_sorting(tab, name)
        expect(not tab.complaints(), f"{name}: {tab.complaints()}")
    expect(tab.evaluate(WITHOUT_TEXT) == 0, f"{path}: pictures without a text in their place")
    expect(not tab.evaluate(TWICE), f"{path}: ids that are there twice: {tab.evaluate(TWICE)}")
    expect(tab.evaluate(BROKEN) == 0, f"{path}: marks of charts that are not there")
    expect(tab.evaluate("document.querySelector('.lead').textContent.trim().length") > 20, f"{path}: no summary")
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
with browser.Browser() as tab:
    for page in sys.argv[1:]:
        check(tab, page)
        check_without_script(page)
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
