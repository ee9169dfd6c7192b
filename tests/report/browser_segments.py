"""The viewer of a segmentation and the cloud that turns, as a reader with a mouse and with keys uses them.

    browser_segments.py SCENE/report.html CLOUD/report.html

The scene has a truth and two snapshots; the cloud has true labels of its own.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402

failures = []
TIP = "document.querySelector('.tip')"


def expect(truth, what):
    if not truth:
        failures.append(what)


def wait(tab, expression):
    for _ in range(100):
        if tab.evaluate(expression):
            return True
        time.sleep(0.05)
    return False


def shown(tab, canvas):
    return hash(tab.evaluate(f"{canvas}.toDataURL()"))


def middle(tab, element, across=0.5, down=0.5):
    tab.evaluate(f"{element}.scrollIntoView({{block: 'center'}})")
    return tab.evaluate(f"(r => [r.left + r.width * {across}, r.top + r.height * {down}])({element}.getBoundingClientRect())")


def choose(tab, scope, index, at):
    tab.evaluate(f"(s => {{ s.selectedIndex = {at}; s.dispatchEvent(new Event('change')) }})"
                 f"(document.querySelectorAll('{scope} select')[{index}])")


def check_scene(tab, path):
    tab.emulate(1280)
    tab.open(path)
    expect(wait(tab, "!!document.querySelector('.viewer[data-ready]')"), "no viewer")
    canvas = "document.querySelector('.viewer canvas')"
    names = tab.evaluate("[...document.querySelectorAll('.viewer select')[0].options].map(o => o.textContent)")
    expect(names[:4] == ["original", "found", "truth", "error"] and len(names) == 6, f"layers: {names}")
    expect(tab.evaluate("getComputedStyle(document.querySelector('.viewer .parts')).display") == "none", "the layers stand twice")
    seen = {shown(tab, canvas)}
    for at in range(1, 6):
        choose(tab, ".viewer", 1, at)
        seen.add(shown(tab, canvas))
    expect(len(seen) >= 4, f"layers look alike: {len(seen)} pictures")
    before = shown(tab, canvas)
    tab.evaluate("(s => { s.value = 10; s.dispatchEvent(new Event('input')) })(document.querySelector('.wipe'))")
    expect(shown(tab, canvas) != before, "the slider does not wipe")
    tab.evaluate(f"{canvas}.focus()")
    before = tab.evaluate("document.querySelector('.wipe').value")
    tab.key("ArrowRight", 39)
    expect(tab.evaluate("document.querySelector('.wipe').value") > before, "an arrow key does not wipe")
    x, y = middle(tab, canvas, 0.5, 0.1)
    tab.mouse("mouseMoved", x, y)
    text = tab.evaluate(f"{TIP} && !{TIP}.hidden ? {TIP}.textContent : ''")
    expect("segment " in text and "pixels" in text and "true region" in text, f"under the mouse: {text!r}")
    before = tab.evaluate("document.querySelectorAll('.viewer select')[1].selectedIndex")
    tab.evaluate("[...document.querySelectorAll('.viewer button')].find(b => b.textContent === 'Next frame').click()")
    expect(tab.evaluate("document.querySelectorAll('.viewer select')[1].selectedIndex") != before, "no next frame")
    expect(tab.evaluate("document.querySelectorAll('.criteria dt').length") == 6, "six criteria")
    expect(tab.evaluate("document.querySelectorAll('details table').length") > 0, "the other criteria are folded")
    expect(not tab.complaints(), f"{tab.complaints()}")


def check_cloud(tab, path):
    tab.emulate(1280)
    tab.open(path)
    expect(wait(tab, "!!document.querySelector('.cloud[data-ready]')"), "no cloud")
    canvas = "document.querySelector('.cloud canvas')"
    # The red box lies above the blue plane, y upwards; with y downwards it is below.
    choose(tab, ".cloud", 0, 1)
    height = f"""(c => {{ const copy = new OffscreenCanvas(c.width, c.height).getContext('2d', {{willReadFrequently: true}}); copy.drawImage(c, 0, 0);
        const d = copy.getImageData(0, 0, c.width, c.height).data, sum = [0, 0], count = [0, 0];
        for (let p = 0; p < d.length; p += 4) if (d[p + 3]) {{ const blue = d[p + 2] > d[p] ? 1 : 0; sum[blue] += p / 4 / c.width; count[blue]++ }}
        return sum.map((s, i) => s / count[i]) }})({canvas})"""
    red, blue = tab.evaluate(height)
    expect(red < blue, f"y does not point upwards: the box at {red}, the plane below it at {blue}")
    choose(tab, ".cloud", 1, 2)
    red, blue = tab.evaluate(height)
    expect(red > blue, f"y downwards is not offered: {red}, {blue}")
    choose(tab, ".cloud", 1, 0)
    choose(tab, ".cloud", 0, 0)
    before = shown(tab, canvas)
    x, y = middle(tab, canvas)
    tab.mouse("mouseMoved", x, y)
    tab.mouse("mousePressed", x, y, True)
    tab.mouse("mouseMoved", x + 60, y + 20, True)
    tab.mouse("mouseReleased", x + 60, y + 20)
    dragged = shown(tab, canvas)
    expect(dragged != before, "dragging does not turn the cloud")
    tab.evaluate(f"{canvas}.focus()")
    tab.key("ArrowLeft", 37)
    turned = shown(tab, canvas)
    expect(turned != dragged, "an arrow key does not turn the cloud")
    kinds = tab.evaluate("[...document.querySelector('.cloud select').options].map(o => o.textContent)")
    expect(kinds == ["segments", "colours of the file", "truth"], f"colours of the cloud: {kinds}")
    choose(tab, ".cloud", 0, 1)
    expect(shown(tab, canvas) != turned, "the colours of the file look like those of the segments")
    tip = ""
    for down in (0.3, 0.4, 0.5, 0.6, 0.7):
        for across in (0.4, 0.45, 0.5, 0.55, 0.6):
            tab.mouse("mouseMoved", *middle(tab, canvas, across, down))
            tip = tip or tab.evaluate(f"{TIP} && !{TIP}.hidden ? {TIP}.textContent : ''")
    expect("segment " in tip and "true region" in tip, f"under the mouse: {tip!r}")
    expect(not tab.complaints(), f"{tab.complaints()}")


if not browser.find():
    print("skipped: no Chromium (scripts/setup ci installs it)")
    sys.exit(77)
with browser.Browser() as opened:
    check_scene(opened, sys.argv[1])
    check_cloud(opened, sys.argv[2])
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
