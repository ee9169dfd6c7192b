"""Runs the commands of a document as a reader would, and compares what they print with what the document shows.

    run_document.py DOCUMENT

Every block that is fenced with ```sh is run by bash in the present folder, in the order of the document; one that fails fails
the test. A block fenced with ```text behind it shows what it prints: the lines must be there in this order, their words
alike and their numbers within a hundredth. `...` stands for any lines, and numbers of seconds may differ.
"""

import re
import subprocess
import sys

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def blocks(path):
    """(language, line, text) of each fenced block."""
    found, language, begin, lines = [], None, 0, []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("```"):
            if language is None:
                language, begin, lines = line[3:].strip(), number, []
            else:
                found.append((language, begin, "".join(lines)))
                language = None
        elif language is not None:
            lines.append(line)
    return found


def alike(shown, printed):
    shown, printed = (re.sub(r"\S+ s\b", "SECONDS s", " ".join(line.split())) for line in (shown, printed))
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    for a, b in ((float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs):
        if abs(a - b) > 0.01 * max(abs(a), abs(b)) + 1e-9:
            return False
    return True


def missing(shown, printed):
    """The first line of `shown` that is not in `printed` behind the ones before it; None where all are."""
    at, anywhere = 0, True
    for line in shown.splitlines():
        if line.strip() == "...":
            anywhere = True
            continue
        if not line.strip():
            continue
        while anywhere and at < len(printed) and not alike(line, printed[at]):
            at += 1
        if at == len(printed) or not alike(line, printed[at]):
            return line
        at, anywhere = at + 1, False
    return None


def main():
    path, printed, ran, failed = sys.argv[1], [], 0, 0
    for language, line, text in blocks(path):
        if language == "sh":
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=120)
            ran += 1
            printed = [row for row in (done.stdout + done.stderr).splitlines() if row.strip()]
            if done.returncode:
                failed += 1
                print(f"{path}:{line}: exit status {done.returncode}:\n{done.stdout}{done.stderr}")
        elif language == "text":
            lost = missing(text, printed)
            if lost is not None:
                failed += 1
                print(f"{path}:{line}: not printed: {lost!r}; but:\n" + "\n".join(printed))
    if not ran:
        failed += 1
        print(f"{path}: no block of commands")
    print(f"{path}: {ran} blocks, {failed} failures")
    sys.exit(failed > 0)


main()
