"""The page of a fit that is being made, as `orthant view` serves it, and the report that takes its place.

    browser_live.py COMMAND DATA
"""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402

failures = []
TEXTS = "[...document.querySelectorAll('#curve text')].map(t => t.textContent)"
NOW = "document.getElementById('now').textContent"
# The smallest height of a letter's box in the chart, in pixels of the screen.
SMALLEST = "Math.min(...[...document.querySelectorAll('#curve text')].map(t => t.getBoundingClientRect().height))"
OUTSIDE = """(box => [...document.querySelectorAll('#curve text')].filter(t => { const r = t.getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1 }).map(t => t.textContent))(
    document.getElementById('curve').getBoundingClientRect())"""


def expect(truth, what):
    if not truth:
        failures.append(what)


def wait(tab, expression):
    for _ in range(200):
        if tab.evaluate(expression):
            return True
        time.sleep(0.1)
    return False


def complaints(tab, address):
    return [text for text in tab.complaints() if not text.startswith("request: " + address)]


def check_curve(tab, address, width, dark):
    name = f"a running fit at {width} px, {'dark' if dark else 'light'}"
    tab.emulate(width, dark=dark)
    tab.open(address)
    expect(wait(tab, f"{NOW}.startsWith('Iteration') && !!document.querySelector('#curve path')"), f"{name}: no curve: {tab.evaluate(NOW)!r}")
    expect(tab.evaluate("document.documentElement.scrollWidth") <= width, f"{name}: wider than the screen")
    expect(tab.evaluate(SMALLEST) > 9, f"{name}: letters of {tab.evaluate(SMALLEST):.1f} px")
    expect(not tab.evaluate(OUTSIDE), f"{name}: cut off: {tab.evaluate(OUTSIDE)}")
    # Between two answers of the server, so that nothing but the click changes the numbers at the lines.
    before, after = tab.evaluate(f"(() => {{ const before = {TEXTS}; document.getElementById('log').click(); return [before, {TEXTS}] }})()")
    expect(before != after and before[0] == after[0], f"{name}: the logarithm is not switched off: {before} {after}")
    first = tab.evaluate(NOW)
    expect(wait(tab, f"{NOW} !== {first!r}"), f"{name}: it does not follow the fit")
    expect(not complaints(tab, address), f"{name}: {complaints(tab, address)}")


def main():
    command, data = sys.argv[1:]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    fit = subprocess.Popen([command, "cluster", data, "-m", "nmf-kl", "-k", "10", "--iterations", "1000000000", "--tolerance", "0",
                            "--quiet", "-o", "running"], **quiet)
    view = None
    try:
        for _ in range(200):
            if [f for f in os.listdir(".") if f.startswith("running.part-") and os.path.exists(os.path.join(f, "history.csv"))]:
                break
            time.sleep(0.1)
        view = subprocess.Popen([command, "view", "running", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = view.stdout.readline().strip()
        with browser.Browser(local=True) as tab:
            for width, dark in ((1280, False), (375, True)):
                check_curve(tab, address, width, dark)
            tab.events = []
            fit.send_signal(signal.SIGTERM)
            fit.wait(60)
            expect(wait(tab, "!!document.querySelector('.cards .card')"), "the report does not take the place of the curve")
            tab.open(address)
            expect(not complaints(tab, address), f"the report that is served: {complaints(tab, address)}")
    finally:
        for process in (fit, view):
            if process and process.poll() is None:
                process.terminate()
                process.wait(30)


if not browser.find():
    print("skipped: no Chromium (scripts/setup ci installs it)")
    sys.exit(77)
main()
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
