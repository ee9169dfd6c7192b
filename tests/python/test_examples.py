"""The programs of python/examples run, on what ships with Orthant, and draw their pictures."""

import os
import subprocess
import sys

import pytest
from conftest import SOURCE

PICTURES = {
    "choosing_the_number_of_parts": "ranks.png", "custom_combination": "combination.png",
    "faces_into_parts": "parts.png", "pipeline_grid_search": "search.png", "point_cloud": "cloud.png",
    "segment_a_photograph": "segments.png", "semi_supervised_digits": "labels.png", "topics_of_reuters": "topics.png",
}


def test_all_are_listed():
    assert {path.stem for path in (SOURCE / "python" / "examples").glob("*.py")} == set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_example(name, tmp_path):
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "MPLBACKEND": "Agg", "ORTHANT_DATA": ""}
    run = subprocess.run([sys.executable, SOURCE / "python" / "examples" / f"{name}.py"], cwd=tmp_path, text=True,
                         capture_output=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert run.stdout
    assert (tmp_path / PICTURES[name]).read_bytes()[:4] == b"\x89PNG"
