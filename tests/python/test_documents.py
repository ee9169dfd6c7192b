"""The blocks of code of the documents that are Python, after the commands that make their data."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def blocks(document, language):
    text = (SOURCE / "docs" / document).read_text(encoding="utf-8").splitlines()
    found, lines = [], None
    for line in text:
        if line.startswith("```"):
            if lines is not None:
                found.append("\n".join(lines))
            lines = [] if lines is None and line[3:].strip() == language else None
        elif lines is not None:
            lines.append(line)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the data that ship, and a command `orthant` of that name."""
    command = os.environ.get("ORTHANT_COMMAND", str(SOURCE / "build/orthant"))
    if not shutil.which(command):
        pytest.skip("no command orthant; ORTHANT_COMMAND names it")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/orthant").write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    (tmp_path / "bin/orthant").chmod(0o755)
    (tmp_path / "data").symlink_to(SOURCE / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    return tmp_path


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name, last", [("table", "0.97"), ("photos", "1]"), ("texts", "1.0")])
def test_get_started(name, last, folder):
    if name == "table":
        pytest.importorskip("pandas")
    for commands in blocks(f"start-{name}.md", "sh"):
        subprocess.run(["bash", "-e", "-c", commands], check=True, capture_output=True, timeout=120)
    printed = run_python("\n".join(blocks(f"start-{name}.md", "python")))
    assert printed.strip().splitlines()[-1].strip().startswith(last) or printed.strip().endswith(last), printed


def test_coming_from(folder):
    run_python("\n".join(blocks("coming-from.md", "python")))


def test_languages(folder):
    run_python("\n".join(blocks("languages.md", "python")))


def test_files(folder):
    subprocess.run(["bash", "-e", "-c", blocks("files.md", "sh")[0]], check=True, capture_output=True, timeout=120)
    assert run_python("\n".join(blocks("files.md", "python"))).startswith("gnmf 10 0.")


def test_readme(folder):
    pytest.importorskip("matplotlib")
    code = "\n".join(blocks("../README.md", "python"))
    printed = run_python(code)
    assert float(printed.split()[0]) > 0.7, printed


def test_python(folder):
    """All but the block for several processes, which tests/python/test_group.py has its like of."""
    code = [block for block in blocks("python.md", "python") if "mpi4py" not in block]
    assert len(code) == len(blocks("python.md", "python")) - 1
    printed = run_python("\n".join(code))
    assert round(float(printed.split()[0]), 2) == 0.81, printed


def test_formats(folder):
    (folder / "lines.txt").write_text("one two\ntwo three three\n")
    subprocess.run(["orthant", "words", "lines.txt", "-o", "counts.csr"], check=True, capture_output=True, timeout=60)
    printed = run_python("\n".join(blocks("formats.md", "python")) + "\nprint(rows, columns, stored, data.sum(), indptr[-1], indices.max())")
    assert printed.split() == ["2", "3", "4", "5.0", "4", "2"], printed


def test_terms(folder):
    code = "import numpy, orthant\nspectra = numpy.random.default_rng(1).random((30, 12))\n"
    run_python(code + "\n".join(blocks("terms.md", "python")))


# Documents without a command or a piece of code that stands alone, and what runs those of the others.
NOT_RUN = {
    "consistency": "made by a script, whose test compares it", "methods": "made from the table of methods, whose test compares it",
    "engine": "pieces of C that show a form", "notation": "none", "performance": "benchmarks that take an hour; `bench` has a test",
    "reliability": "what the continuous integration runs", "gpu": "needs a device; tests/device", "scale": "needs mpirun; the tests of processes",
    "reproduction": "hours; scripts/document_reproduction compares it, and tests/reproduce run the same with --quick",
}


def test_every_document_is_run():
    """A new document is run by a test, or stands in the list above with its reason."""
    places = [SOURCE / "tests/command/test_manual.sh", SOURCE / "tests/command/test_documents.sh", SOURCE / "tests/contract/test_c_guide.sh",
              SOURCE / "scripts/check-r", SOURCE / "scripts/check-octave", SOURCE / "tests/python/test_documents.py"]
    lists = "\n".join(line for place in places for line in place.read_text().splitlines() if "for name in" in line or "docs/" in line or "blocks(" in line)
    for document in sorted((SOURCE / "docs").glob("*.md")):
        name = document.stem
        found = name in NOT_RUN or re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lists)
        assert found, f"no test runs what stands in docs/{document.name}"
