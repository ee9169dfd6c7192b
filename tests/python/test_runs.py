"""Runs on disk: written, read back, reported; the papers' experiments."""

import json
import os
import pickle
import subprocess

import numpy as np
import orthant
import pytest
from conftest import SOURCE

TRUTH = np.repeat(np.arange(3), 20)


def test_a_run_is_written_and_read_back(X, tmp_path):
    model = orthant.NMF(3, random_state=5).fit(X)
    orthant.save_run(model, tmp_path / "run", X, TRUTH)
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (told["method"], told["rank"], told["seed"], told["data"]["samples"]) == ("nmf", 3, 5, 60)
    assert told["scores"]["accuracy"] == 1
    assert (tmp_path / "run" / "report.html").exists()
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    assert (run.method, run.loss, run.rank, run.iterations) == ("nmf", "frobenius", 3, model.n_iter_)
    assert run.number("accuracy") == 1 and np.isnan(run.number("height")) and run.text("height") == ""
    np.testing.assert_array_equal(run.factor("basis"), model.components_.T)
    np.testing.assert_array_equal(run.factor("encoding"), model.encoding_)
    np.testing.assert_array_equal(run.labels, model.labels_)
    np.testing.assert_array_equal(run.transform(X[:4]), model.transform(X[:4]))
    with pytest.raises(OSError, match="core"):
        run.factor("core")


def test_a_run_without_labels_and_report(X, tmp_path):
    orthant.save_run(orthant.KLNMF(2, max_iter=5, tol=0).fit(X), tmp_path / "run", labels=False, report=False)
    assert not (tmp_path / "run" / "report.html").exists()
    run = orthant.load_run(tmp_path / "run")
    assert run.labels is None and run.loss == "kl" and run.factor("basis").dtype == np.float32


def test_the_command_reads_it(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    model = orthant.NMF(3, random_state=1).fit(X)
    orthant.save_run(model, tmp_path / "run", X, report=False)
    command = os.environ.get("ORTHANT_COMMAND", str(SOURCE / "build" / "orthant"))
    subprocess.run([command, "transform", tmp_path / "run", tmp_path / "X.npy", "--precision", "double", "-o",
                    tmp_path / "codes.npy"], check=True, capture_output=True)
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), model.transform(X))


def test_names_of_features_are_compared(X, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    orthant.save_run(orthant.NMF(3, random_state=1).fit(table), tmp_path / "run", table, report=False)
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    np.testing.assert_array_equal(run.transform(table), run.transform(X))
    np.testing.assert_array_equal(run.predict(table), run.predict(X))
    with pytest.raises(ValueError, match="feature 1 is 'f17', and 'f0' in .*another order"):
        run.transform(table[table.columns[::-1]])
    with pytest.raises(ValueError, match="feature 3 is 'else', and 'f2'"):
        run.predict(table.rename(columns={"f2": "else"}))


def test_a_run_is_not_replaced_unless_told(X, tmp_path):
    first = orthant.NMF(3, random_state=1, max_iter=3, tol=0).fit(X)
    second = orthant.NMF(4, random_state=1, max_iter=3, tol=0).fit(X)
    orthant.save_run(first, tmp_path / "run", X, report=False)
    with pytest.raises(ValueError, match="run"):
        orthant.save_run(second, tmp_path / "run", X, report=False)
    assert orthant.load_run(tmp_path / "run").rank == 3
    orthant.save_run(second, tmp_path / "run", X, report=False, overwrite=True)
    assert orthant.load_run(tmp_path / "run").rank == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
    picture = np.zeros((24, 24, 3), np.uint8)
    picture[:, 12:] = 200, 50, 50
    orthant.segment(picture, 2, folder=tmp_path / "halves")
    with pytest.raises(ValueError, match="halves"):
        orthant.segment(picture, 2, folder=tmp_path / "halves")
    assert orthant.segment(picture, 2, folder=tmp_path / "halves", overwrite=True).segments == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["halves", "run"]


def test_report(X, tmp_path):
    orthant.save_run(orthant.NMF(3, random_state=1).fit(X), tmp_path / "run", X, TRUTH, report=False)
    assert "accuracy" in orthant.report(tmp_path / "run")
    assert (tmp_path / "run" / "report.html").exists()
    assert orthant.report(tmp_path / "run", format="md").count("|") > 4
    (tmp_path / "words").write_text("\n".join(f"word{i}" for i in range(18)) + "\n")
    orthant.report(tmp_path / "run", words=tmp_path / "words")
    assert "word3" in (tmp_path / "run" / "report.html").read_text()


def test_refusals(X, tmp_path):
    model = orthant.NMF(3, max_iter=2, tol=0).fit(X)
    with pytest.raises(ValueError, match="was pickled"):
        orthant.save_run(pickle.loads(pickle.dumps(model)), tmp_path / "run")
    with pytest.raises(AttributeError, match="not fitted"):
        orthant.save_run(orthant.NMF(3), tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises((ValueError, OSError), match="other"):
        orthant.save_run(model, tmp_path / "other")
    with pytest.raises(OSError, match="nowhere"):
        orthant.load_run(tmp_path / "nowhere")
    with pytest.raises(OSError):
        orthant.report(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="tnmf"):
        orthant.reproduce("tnfm", tmp_path, tmp_path / "out")
    with pytest.raises((ValueError, OSError)):
        orthant.reproduce("tnmf", tmp_path / "nothing", tmp_path / "out", quick=True)


def test_items_of_papers(tmp_path):
    items = orthant.paper_items("nlcf", data=tmp_path)
    assert {item["kind"] for item in items} == {"table", "figure", "theorem", "claim"}
    states = {(item["kind"], item["id"]): item["state"] for item in items}
    assert states["table", "I"] == "nothing to run"
    assert states["table", "V"] == "data not here"
    assert states["figure", "4"] == "not run"  # its points are made up
    assert orthant.reproduce("nlcf", tmp_path, tmp_path / "out", figures=["4"], quick=True).failures == 0
    items = orthant.paper_items("nlcf", folder=tmp_path / "out")
    assert [item["id"] for item in items if item["state"] == "done"] == ["4"]
    with pytest.raises(ValueError, match="has no figure '9'"):
        orthant.reproduce("nlcf", tmp_path, tmp_path / "out", figures="9", quick=True)


def test_a_run_reads_its_table_again(tmp_path):
    rows = [(i, 1 + i % 3, 2 + i % 5, 1 + i % 4, "ab"[i % 2]) for i in range(20)]
    cells = [",".join(map(str, row)) for row in rows]
    cells[3] = "3,,5,4,b"
    (tmp_path / "table.csv").write_text("\n".join(["id,u,v,w,kind", *cells]) + "\n")
    how = dict(truth="kind", drop=["id"], missing=True)
    data = orthant.read(tmp_path / "table.csv", dtype=np.float64, **how)
    assert np.isnan(data.X).sum() == 1
    model = orthant.NMF(2, missing="nan", random_state=1).fit(data.X)
    orthant.save_run(model, tmp_path / "run", data.X, data=tmp_path / "table.csv", read=how, report=False)
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["data"]["read"] == {"truth": "kind", "drop": "id"}
    run = orthant.load_run(tmp_path / "run", dtype=np.float64)
    run.complete(tmp_path / "full.npy")
    full, known = np.load(tmp_path / "full.npy"), ~np.isnan(data.X)
    np.testing.assert_array_equal(full[known], data.X[known])
    np.testing.assert_allclose(full[~known], (model.encoding_ @ model.components_)[~known], rtol=1e-12)
    told["data"]["read"] = {"height": -1, "width": 3}
    (tmp_path / "run" / "run.json").write_text(json.dumps(told))
    with pytest.raises(ValueError, match="height of the pictures is -1"):
        orthant.load_run(tmp_path / "run").complete(tmp_path / "full.npy")
