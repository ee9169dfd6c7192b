"""Functions beside the estimators, and the estimators in scikit-learn's company."""

import ctypes
import gzip
import pickle
import subprocess

import numpy as np
import orthant
import pandas as pd
import pytest
import scipy.optimize
import scipy.sparse
from conftest import SOURCE
from orthant import _library
from sklearn.decomposition import NMF as theirs_nmf
from sklearn.decomposition import non_negative_factorization as theirs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline

SCENE = SOURCE / "data" / "scene" / "scene.png"
DIGITS = SOURCE / "data" / "digits" / "digits-images-idx3-ubyte.gz"


# ---- structs ---------------------------------------------------------------------------------


def test_structs_are_those_of_the_headers(tmp_path):
    """Sizes and offsets of ours, beside what a C compiler makes of the headers."""
    structs = {"array": "Array", "progress": "Progress", "method_info": "MethodInfo",
               "parameter_info": "ParameterInfo", "read_options": "ReadOptions", "words_options": "WordsOptions", "picture_shape": "PictureShape",
               "scores": "Scores", "cluster_scores": "ClusterScores", "run": "Run", "study_row": "StudyRow", "study_rank": "StudyRank", "friedman": "Friedman",
               "segmentation_options": "SegmentationOptions", "criterion_info": "Criterion",
               "graph_options": "GraphOptions", "segment_options": "SegmentOptions", "segmentation_info": "SegmentationInfo",
               "segment_run": "SegmentRun", "feature_options": "FeatureOptions",
               "consensus_options": "ConsensusOptions", "consensus_info": "ConsensusInfo",
               "consensus_part": "ConsensusPart", "consensus_member": "ConsensusMember"}
    lines, expected = [], []
    for name, ours in structs.items():
        struct = getattr(_library, ours)
        lines.append(f'printf("{name} %zu\\n", sizeof(orthant_{name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            measured = field
            if name == "study_row" and struct._fields_.index((field, *_)) >= 6:
                measured = "found." + field
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof(orthant_{name}, {measured}));')
            expected.append(f"{name}.{field} {getattr(struct, field).offset}")
    lines.append('printf("segmentation_scores %d\\n", sizeof(orthant_segmentation_scores) <= 4096);')
    expected.append("segmentation_scores 1")
    (tmp_path / "sizes.c").write_text("#include <stddef.h>\n#include <stdio.h>\n#include <orthant/orthant.h>\n"
                                      "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    generated = next(SOURCE.glob("build/generated"))
    subprocess.run(["cc", f"-I{SOURCE}/include", f"-I{generated}", "-o", tmp_path / "sizes", tmp_path / "sizes.c"],
                   check=True)
    found = subprocess.run([tmp_path / "sizes"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert found == expected


# ---- files -----------------------------------------------------------------------------------


def test_read_digits():
    data = orthant.read(DIGITS)
    raw = gzip.decompress(DIGITS.read_bytes())
    pixels = np.frombuffer(raw, np.uint8, offset=16).reshape(len(data.X), -1)
    np.testing.assert_array_equal(data.X, pixels)
    assert data.X.dtype == np.float32 and data.shape == (8, 8) and set(data.y) == set(range(10))
    assert orthant.read(DIGITS, dtype=np.float64).X.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(orthant.read(DIGITS, scale="unit").X, axis=1), 1, rtol=1e-5)


def test_read_sparse(tmp_path, X):
    X[X < 0.1] = 0
    scipy.sparse.save_npz(tmp_path / "X.npz", scipy.sparse.csr_matrix(X))
    found = orthant.read(tmp_path / "X.npz", dtype=np.float64)
    assert scipy.sparse.issparse(found.X) and found.y is None and found.shape is None
    np.testing.assert_array_equal(found.X.toarray(), X)


def test_names_of_a_table(tmp_path):
    path = tmp_path / "plants.csv"
    path.write_text("name,height,width,kind,note\nfirst,1,2,oak,0\nsecond,3,4,elm,0\nthird,5,6,oak,0\n")
    read = orthant.read(path, truth="kind", id_column="name", drop=["note"])
    np.testing.assert_array_equal(read.X, [[1, 2], [3, 4], [5, 6]])
    assert read.feature_names.tolist() == ["height", "width"]
    assert read.sample_names.tolist() == ["first", "second", "third"]
    assert read.class_names[read.y].tolist() == ["oak", "elm", "oak"]
    plain = orthant.read(SOURCE / "data/digits/digits-images-idx3-ubyte.gz")
    assert plain.feature_names is None and plain.sample_names is None and plain.class_names is None


def test_words_are_counted_as_by_scikit_learn(tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer
    texts = ["The cat sat; the CAT ran.", "A dog_1 ran, and 22 cats", "cat", "na\u00efve dogs: dog-eared!"]
    path = tmp_path / "lines.txt"
    path.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    for ours, theirs in (({}, {}), ({"min_documents": 2}, {"min_df": 2}), ({"max_words": 1}, {"max_features": 1})):
        read = orthant.count_words(path, **ours)
        expected = CountVectorizer(**theirs)
        counts = expected.fit_transform(texts)
        assert read.feature_names.tolist() == expected.get_feature_names_out().tolist()
        np.testing.assert_array_equal(read.X.toarray(), counts.toarray())
    for name, text in (("a/x.txt", texts[0]), ("b/y.txt", texts[1])):
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_text(text)
    read = orthant.count_words(tmp_path / "texts", stop_words="english")
    assert read.class_names.tolist() == ["a", "b"] and read.y.tolist() == [0, 1]
    assert read.sample_names.tolist() == ["a/x.txt", "b/y.txt"] and "the" not in read.feature_names


def test_names_of_a_frame(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).random((20, 3)), columns=["height", "width", "depth"])
    model = orthant.NMF(2, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == ["height", "width", "depth"]
    orthant.save_run(model, tmp_path / "run", frame, report=False)
    lines = (tmp_path / "run/basis.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["feature", "height", "width", "depth"]


# ---- graphs, similarities, scores ------------------------------------------------------------


def test_graph_is_scikit_learn_s(X):
    expected = kneighbors_graph(X, 4).toarray()
    graph = orthant.knn_graph(X, 4)
    np.testing.assert_array_equal(graph.toarray(), np.maximum(expected, expected.T))
    assert orthant.knn_graph(X, 4, search="approximate").shape == (60, 60)
    with pytest.raises(ValueError, match="quick"):
        orthant.knn_graph(X, 4, search="quick")
    given = orthant.GNMF(3, random_state=0, tol=1e-3).fit(X, graph=graph)
    built = orthant.GNMF(3, neighbours=4, random_state=0, tol=1e-3).fit(X)
    np.testing.assert_array_equal(given.encoding_, built.encoding_)


def test_graph_with_labels(X, y):
    graph = orthant.knn_graph(X, 4, y=y).toarray()
    known = np.flatnonzero(y >= 0)
    np.testing.assert_array_equal(graph[np.ix_(known, known)],
                                  (y[known, None] == y[known]) & ~np.eye(len(known), dtype=bool))


def test_similarity_can_be_given(X):
    similarity = orthant.gaussian_similarity(X)
    np.testing.assert_allclose(np.diag(similarity), 1)
    given = orthant.SNMF(3, random_state=0, tol=1e-3).fit(X, similarity=similarity)
    built = orthant.SNMF(3, random_state=0, tol=1e-3).fit(X)
    np.testing.assert_array_equal(given.encoding_, built.encoding_)


def test_scores():
    ones = ("accuracy", "nmi", "nmi_arithmetic", "nmi_geometric", "nmi_min", "ari", "ami", "purity", "homogeneity",
            "completeness", "v_measure")
    assert orthant.scores([0, 0, 1, 1], [1, 1, 0, 0]) == {
        **dict.fromkeys(ones, 1), "samples": 4, "clusters": 2, "classes": 2}
    assert orthant.scores([0, 0, 1, -1], ["a", "a", "b", "b"])["samples"] == 3
    with pytest.raises(ValueError):
        orthant.scores([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="a truth, points, or both"):
        orthant.scores([0, 1])
    with pytest.raises(ValueError, match="expected max"):
        orthant.scores([0, 1], [0, 1], nmi="mean")


@pytest.mark.parametrize("clusters, classes, samples", [(3, 4, 60), (9, 2, 200), (40, 30, 1000), (1, 3, 20), (5, 5, 5000)])
def test_scores_are_scikit_learns(clusters, classes, samples):
    from sklearn import metrics
    random = np.random.default_rng(clusters)
    truth = random.integers(classes, size=samples)
    found = np.where(random.random(samples) < 0.5, truth % clusters, random.integers(clusters, size=samples))
    ours = orthant.scores(found, truth)
    theirs = {"ari": metrics.adjusted_rand_score, "ami": metrics.adjusted_mutual_info_score,
              "homogeneity": metrics.homogeneity_score, "completeness": metrics.completeness_score,
              "v_measure": metrics.v_measure_score}
    for name, score in theirs.items():
        assert ours[name] == pytest.approx(score(truth, found), abs=1e-10), name
    for mean in ("max", "arithmetic", "geometric", "min"):
        expected = metrics.normalized_mutual_info_score(truth, found, average_method=mean)
        assert orthant.scores(found, truth, nmi=mean)["nmi"] == pytest.approx(expected, abs=1e-12), mean


def test_clusters_by_themselves():
    from sklearn import metrics
    random = np.random.default_rng(0)
    for samples, kind in ((300, "exact"), (4500, "simplified")):
        labels = random.integers(4, size=samples)
        X = random.random((samples, 5)) + labels[:, None] * [0.3, 0, 0.2, 0, 0]
        found = orthant.scores(labels, points=X)
        assert found["silhouette_kind"] == kind
        assert found["sizes"] == np.bincount(labels).tolist()
        centres = np.array([X[labels == c].mean(axis=0) for c in range(4)])
        if kind == "exact":
            assert found["silhouette"] == pytest.approx(metrics.silhouette_score(X, labels), abs=1e-10)
        else:
            distances = np.linalg.norm(X[:, None] - centres, axis=2)
            own = distances[np.arange(samples), labels]
            distances[np.arange(samples), labels] = np.inf
            other = distances.min(axis=1)
            assert found["silhouette"] == pytest.approx(((other - own) / np.maximum(own, other)).mean(), abs=1e-10)
        within, all_of = ((X - centres[labels])**2).sum(), ((X - X.mean(axis=0))**2).sum()
        assert found["cohesion"] == pytest.approx(1 - within / all_of, abs=1e-10)
    both = orthant.scores(labels, labels, points=X)
    assert both["accuracy"] == 1 and "silhouette" in both


@pytest.mark.parametrize("method", ["NMF", "KLNMF", "NNSC", "KMeans"])
def test_error_and_explained_variance(method):
    X = np.random.default_rng(1).random((50, 12))
    model = getattr(orthant, method)(3, random_state=0).fit(X)
    left = X - model.encoding_ @ model.components_
    assert model.relative_error_ == pytest.approx(np.linalg.norm(left) / np.linalg.norm(X), rel=1e-8)
    assert model.explained_variance_ == pytest.approx(1 - (left**2).sum() / (X**2).sum(), rel=1e-8)
    assert np.isnan(orthant.PCA(3).fit(X).relative_error_)


def test_segmentation_scores():
    truth = np.repeat([0, 1], 32).reshape(8, 8)
    found = orthant.segmentation_scores(truth.T, truth)
    assert found["CS"] == 0 and 0 <= found["pri"] < 1 if "pri" in found else found["CS"] == 0
    with pytest.raises(ValueError):
        orthant.segmentation_scores(truth, truth[1:])


# ---- pictures and clouds ---------------------------------------------------------------------


def test_segment_is_the_command_s(command, tmp_path):
    from PIL import Image
    run = command("segment", SCENE, "-k", 4, "--seed", 3)
    found = orthant.segment(SCENE, 4, random_state=3, folder=tmp_path / "kept")
    np.testing.assert_array_equal(found.labels, np.load(run / "labels.npy"))
    np.testing.assert_array_equal(np.load(tmp_path / "kept" / "labels.npy"), found.labels)
    assert (tmp_path / "kept" / "report.html").exists()
    pixels = np.asarray(Image.open(SCENE).convert("RGB"))
    np.testing.assert_array_equal(orthant.segment(pixels, 4, random_state=3).labels, found.labels)
    np.testing.assert_array_equal(orthant.segment(pixels / 255, 4, random_state=3).labels, found.labels)
    assert found.labels.shape == pixels.shape[:2] and found.segments == found.labels.max() + 1
    truth = np.asarray(Image.open(SOURCE / "data" / "scene" / "scene-truth.png"))
    assert orthant.segmentation_scores(found.labels, truth[..., 0] if truth.ndim == 3 else truth)["CS"] >= 0


def test_segment_takes_settings():
    found = orthant.segment(SCENE, 3, nodes="watershed", snapshots=[2, 5], iterations=10, graph_weight=5.0,
                            parameters={"exponent": 0.5})
    assert sorted(found.snapshots) == [2, 5] and found.iterations <= 10 and found.graph_weight == 5
    with pytest.raises(TypeError, match="nod"):
        orthant.segment(SCENE, 3, nod="slic")
    with pytest.raises(ValueError, match="slick"):
        orthant.segment(SCENE, 3, nodes="slick")
    with pytest.raises(ValueError, match="shape"):
        orthant.segment(np.ones((3, 4, 5, 6)))
    with pytest.raises(OSError, match="nowhere"):
        orthant.segment("nowhere.png")


def test_segment_points():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.1, (200, 3)), rng.normal(3, 0.1, (200, 3))])
    points[7] = np.nan
    found = orthant.segment(points, 2, features="space", random_state=1)
    assert found.labels.shape == (400,) and found.labels[7] == -1
    assert orthant.scores(found.labels, np.repeat([0, 1], 200))["accuracy"] == 1


def test_features(tmp_path):
    from PIL import Image
    for name in ("red", "green"):
        (tmp_path / name).mkdir()
        for index in range(2):
            pixels = np.zeros((20, 20, 3), np.uint8)
            pixels[..., 0 if name == "red" else 1] = 100 + index
            Image.fromarray(pixels).save(tmp_path / name / f"{index}.png")
    found = orthant.features(tmp_path, "lab")
    assert found.X.shape == (4, 48) and orthant.scores(found.y, [0, 0, 1, 1])["accuracy"] == 1


# ---- studies ---------------------------------------------------------------------------------


def test_compare(tmp_path):
    data = orthant.read(DIGITS)
    study = orthant.compare({"digits": (data.X[:300], data.y[:300])}, ["kmeans", "nmf", "gnmf"], classes="3,5", repeats=2,
                            iterations=30, parameter=["gnmf.graph_weight=10"], folder=tmp_path / "study")
    assert len(study.rows) == 12 and not study.failures
    assert {row["classes"] for row in study.rows} == {3, 5}
    assert (tmp_path / "study" / "report.html").exists()
    assert "digits" in study.tables() and "\\toprule" in study.tables("tex")
    ranks, difference = study.ranks()
    assert set(ranks) == {"kmeans", "nmf", "gnmf"} and difference > 0
    assert pd.DataFrame(study.rows).groupby("method").accuracy.mean().max() > 0.5
    with pytest.raises(ValueError, match="nnmf"):
        orthant.compare((data.X[:50], data.y[:50]), ["nnmf"])


# ---- beside scikit-learn ---------------------------------------------------------------------


def test_factorization_function_is_scikit_learn_s(X):
    for loss in ("frobenius", "kullback-leibler"):
        solver = "mu" if loss != "frobenius" else "cd"
        W, H, _ = orthant.non_negative_factorization(X, n_components=3, beta_loss=loss, solver=solver, tol=1e-9,
                                                     max_iter=5000)
        W2, H2, _ = theirs(X, n_components=3, beta_loss=loss, solver=solver, tol=1e-9, max_iter=5000)
        assert W.shape == W2.shape and H.shape == H2.shape
        np.testing.assert_allclose(W @ H, W2 @ H2, atol=2e-3)
    W3, H3, _ = orthant.non_negative_factorization(X, W2, H2, init="custom", max_iter=0)
    np.testing.assert_array_equal(W3, W2)
    np.testing.assert_array_equal(H3, H2)
    W4, H4, _ = orthant.non_negative_factorization(X, H=H, update_H=False)
    assert H4 is H and np.linalg.norm(X - W4 @ H) <= np.linalg.norm(X - W @ H) * (1 + 1e-6)


def test_losses_of_the_factorization_function_have_two_names(X):
    """Of the codes alone, and with the solver that "cd" stands for."""
    H = X[[0, 25, 50]] + 0.1
    for word, name in (("kullback-leibler", "kl"), ("itakura-saito", "is")):
        for options in (dict(H=H, n_components=3, update_H=False), dict(n_components=3, solver="cd", max_iter=5, random_state=0)):
            W, *_ = orthant.non_negative_factorization(X + 0.1, beta_loss=word, **options)
            W2, *_ = orthant.non_negative_factorization(X + 0.1, beta_loss=name, **options)
            np.testing.assert_array_equal(W, W2)


# Of the codes alone, of the basis alone, of both; squares, sums and a mixture.
PENALTIES = [dict(alpha_W=0.02, alpha_H=0, l1_ratio=0), dict(alpha_W=0, alpha_H=0.003, l1_ratio=1),
             dict(alpha_W=0.01, l1_ratio=0.5), dict(alpha_W=0.02, alpha_H=0.001, l1_ratio=0.3)]


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("penalties", PENALTIES)
def test_penalties_are_scikit_learn_s(X, loss, penalties):
    """The same iterates from the same start. It begins with its W, we with the basis: ours are of X transposed."""
    rng = np.random.default_rng(3)
    W, H = rng.random((60, 3)) + 0.1, rng.random((3, 18)) + 0.1
    swapped = dict(alpha_W=penalties.get("alpha_H", penalties["alpha_W"]), alpha_H=penalties["alpha_W"],
                   l1_ratio=penalties["l1_ratio"])
    settings = dict(n_components=3, init="custom", solver="mu", beta_loss=loss, tol=0)
    for iterations in (1, 10, 100):
        expected = theirs(X, W.copy(), H.copy(), max_iter=iterations, **settings, **penalties)
        found = orthant.non_negative_factorization(X.T, H.T.copy(), W.T.copy(), max_iter=iterations, **settings, **swapped)
        np.testing.assert_allclose(found[1].T, expected[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found[0].T, expected[1], rtol=1e-9, atol=1e-12)


def scikit_learn_objective(X, W, H, alpha_W, alpha_H, l1_ratio):
    codes, basis = alpha_W * X.shape[1], alpha_H * X.shape[0]
    return (np.square(X - W @ H).sum() / 2 + l1_ratio * (codes * W.sum() + basis * H.sum()) +
            (1 - l1_ratio) / 2 * (codes * np.square(W).sum() + basis * np.square(H).sum()))


@pytest.mark.parametrize("penalties", [dict(alpha_W=0.002, alpha_H=0.002, l1_ratio=0.5),
                                       dict(alpha_W=0.02, alpha_H=0.001, l1_ratio=0)])
def test_penalised_minimum_is_that_of_scikit_learn_s_descent(X, penalties):
    settings = dict(n_components=3, solver="cd", tol=1e-10, max_iter=5000, random_state=0)
    W, H, _ = theirs(X, init="nndsvda", **settings, **penalties)
    expected = scikit_learn_objective(X, W, H, **penalties)
    W, H, _ = orthant.non_negative_factorization(X, init="nndsvda", **settings, **penalties)
    assert scikit_learn_objective(X, W, H, **penalties) == pytest.approx(expected, rel=1e-5)
    model = orthant.NMF(3, init="nndsvda", solver="hals", tol=1e-10, max_iter=5000, random_state=0, **penalties).fit(X)
    assert model.objective_ == pytest.approx(2 * expected, rel=1e-5)
    model = orthant.Factorization(3, terms={"sparsity": 0.25}, alpha_W=0.5 / 18, l1_ratio=1, max_iter=2, tol=0).fit(X)
    assert model.history_["sparsity"][-1] == pytest.approx(1.25 * model.encoding_.sum())


def test_wrong_penalties_are_refused(X):
    for wrong in (dict(alpha_W=-1), dict(alpha_H="none"), dict(l1_ratio=1.5), dict(alpha_H=float("nan"))):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            orthant.NMF(3, **wrong).fit(X)


def test_fixed_components(X):
    known = X[[0, 25]] / 2
    for solver in ("mu", "emu", "hals"):
        model = orthant.NMF(3, solver=solver, tol=0, max_iter=100, random_state=0).fit(X, fixed_components=known)
        np.testing.assert_array_equal(model.components_[:2], known)
        assert (np.diff(model.history_["objective"]) <= 1e-9).all()
    whole = X[[0, 25, 50]]
    model = orthant.NMF(3, solver="hals", tol=0, max_iter=500).fit(X.astype(np.float32), fixed_components=whole)
    np.testing.assert_array_equal(model.components_, whole.astype(np.float32))
    np.testing.assert_allclose(model.encoding_, model.transform(X.astype(np.float32)), atol=1e-3)
    with pytest.raises(ValueError, match="expected at most n_components = 3 rows of n_features = 18"):
        orthant.NMF(3).fit(X, fixed_components=X[:4])
    with pytest.raises(ValueError, match="'pnmf' cannot hold parts fixed"):
        orthant.PNMF(3).fit(X, fixed_components=known)


def test_fixed_basis_with_penalties_is_scikit_learn_s(X):
    """Its W of a given H: a convex problem. Multiplicative updates come near to its solution as 1/t at zeros."""
    penalties = dict(alpha_W=0.01, l1_ratio=0.5)
    settings = dict(H=X[[0, 25, 50]], n_components=3, update_H=False, tol=0, max_iter=5000)
    expected, _, _ = theirs(X, solver="cd", **settings, **penalties)
    H, weight = settings["H"], 0.01 * 0.5 * X.shape[1]  # of both penalties, by the solver of least squares
    root = np.linalg.cholesky(H @ H.T + weight * np.eye(3))
    least = [scipy.optimize.nnls(root.T, np.linalg.solve(root, H @ x - weight))[0] for x in X]
    np.testing.assert_allclose(expected, least, atol=1e-12)
    for solver in ("cd", "mu"):
        found, same, _ = orthant.non_negative_factorization(X, solver=solver, **settings, **penalties)
        assert same is settings["H"]
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_error_is_scikit_learn_s(X):
    ours = orthant.NMF(3, random_state=0).fit(X)
    assert ours.reconstruction_err_ == pytest.approx(np.linalg.norm(X - ours.encoding_ @ ours.components_))
    kl = orthant.KLNMF(3, random_state=0).fit(X)
    model = theirs_nmf(3, beta_loss="kullback-leibler", solver="mu", init="custom", max_iter=1)
    model.fit_transform(X, W=kl.encoding_.copy(), H=np.ascontiguousarray(kl.components_))
    assert kl.reconstruction_err_ == pytest.approx(model.reconstruction_err_, rel=1e-3)


def test_transform_predict_and_inverse(X):
    for cls in (orthant.NMF, orthant.NLCF):
        model = cls(3, random_state=0).fit(X)
        codes = model.transform(X)
        np.testing.assert_array_equal(model.transform(X[5:6]), codes[5:6])
        np.testing.assert_allclose(model.inverse_transform(codes), X, atol=0.5)
        truth = np.repeat(np.arange(3), 20)
        assert orthant.scores(model.predict(X), truth)["accuracy"] == 1
        assert orthant.scores(model.labels_, truth)["accuracy"] == 1
        assert orthant.scores(model.predict(X), model.labels_)["accuracy"] == 1
    unit = orthant.NMF(3, random_state=0, labels_rule="kmeans-unit:encoding").fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(unit)).predict(X * 7), unit.labels_)
    with pytest.raises(ValueError, match="gives new samples no clusters"):
        orthant.NMF(3, random_state=0, labels_rule="kmeans:basis").fit(X[:18]).predict(X)
    centres = orthant.KMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(centres.predict(scipy.sparse.csr_array(X)), centres.labels_)
    np.testing.assert_array_equal(centres.predict(X), centres.labels_)


def test_labels_that_starts_agree_on(X):
    truth = np.repeat(np.arange(3), 20)
    for cls in (orthant.NMF, orthant.KMeans, orthant.GRPNMF):
        model = cls(3, random_state=0, n_init=6, labels_rule="consensus").fit(X)
        assert orthant.scores(model.labels_, truth)["accuracy"] == 1
        assert len(model.start_objectives_) == 6
    model = orthant.NMF(3, random_state=0, n_init=6, labels_rule="consensus-argmax").fit(X)
    assert orthant.scores(model.predict(X), model.labels_)["accuracy"] == 1
    with pytest.raises(ValueError, match="1 starts: expected 2"):
        orthant.NMF(3, labels_rule="consensus").fit(X)


def test_predict_sees_the_scale_of_the_labels(X):
    """hals leaves columns of any scale: labels, and clusters of new samples, are of parts at unit length."""
    start = {"basis": np.random.default_rng(0).random((18, 3)) * [1e3, 1, 1e-3],
             "encoding": np.random.default_rng(1).random((60, 3)) * [1e-3, 1, 1e3]}
    model = orthant.NMF(3, solver="hals", labels_rule="argmax-scaled:encoding", random_state=0).fit(X, start=start)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert orthant.scores(model.labels_, np.repeat(np.arange(3), 20))["accuracy"] == 1


def test_partial_labels(X, y):
    truth = np.repeat(np.arange(3), 20)
    for cls in (orthant.CDNMF, orthant.CDNMFKL, orthant.SGNMF, orthant.CNMF, orthant.SSNMF):
        model = cls(random_state=0).fit(X, y)
        assert model.encoding_.shape == (60, 3)
        assert orthant.scores(model.labels_, truth)["accuracy"] == 1
    names = np.array(["ape", "bee", "cat"])[truth]
    np.testing.assert_array_equal(orthant.CDNMF(random_state=0).fit(X, names).encoding_,
                                  orthant.CDNMF(random_state=0).fit(X, truth).encoding_)


def test_pandas_output(X):
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(18)])
    model = orthant.GNMF(3, random_state=0, tol=1e-3).set_output(transform="pandas")
    codes = model.fit_transform(frame)
    assert list(codes.columns) == list(model.get_feature_names_out()) == ["gnmf0", "gnmf1", "gnmf2"]
    assert list(model.feature_names_in_) == list(frame.columns)
    assert list(orthant.SNMF(2, random_state=0).set_output(transform="pandas").fit_transform(frame).columns) == [
        "snmf0", "snmf1"]


def test_pipeline_and_grid_search():
    data = orthant.read(DIGITS, scale="unit")
    X, y = data.X[:400], data.y[:400]
    line = make_pipeline(orthant.NMF(random_state=0, tol=1e-3), LogisticRegression(C=100, max_iter=1000))
    search = GridSearchCV(line, {"nmf__n_components": [4, 16]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_ == {"nmf__n_components": 16} and search.best_score_ > 0.8


def test_random_state(X):
    def codes(random_state):
        return orthant.NMF(3, random_state=random_state, max_iter=3, tol=0).fit(X).encoding_

    np.testing.assert_array_equal(codes(5), codes(np.int64(5)))
    np.testing.assert_array_equal(codes(np.random.RandomState(5)), codes(np.random.RandomState(5)))
    assert not np.array_equal(codes(5), codes(6))
    np.random.seed(3)
    one = codes(None)
    assert not np.array_equal(one, codes(None))
    np.random.seed(3)
    np.testing.assert_array_equal(one, codes(None))


def test_threads_change_no_result(X):
    one, two = (orthant.GNMF(3, random_state=0, n_jobs=n, max_iter=40, tol=0).fit(X).encoding_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_names_of_classes_that_are_not_known(X):
    y, known = np.arange(len(X)) % 3, np.arange(len(X)) % 4 == 0
    expected = orthant.CNMF(random_state=0, max_iter=20).fit(X, np.where(known, y, -1)).encoding_
    names = np.array(["a", "b", "c"], dtype=object)[y]
    for unknown in (-1, None, np.nan):
        given = names.copy()
        given[~known] = unknown
        np.testing.assert_array_equal(orthant.CNMF(random_state=0, max_iter=20).fit(X, given).encoding_, expected)


def test_arguments_that_are_refused(X):
    with pytest.raises(ValueError, match="no use for a graph"):
        orthant.NMF(3).fit(X, graph=orthant.knn_graph(X))
    with pytest.raises(ValueError, match="H is None"):
        orthant.non_negative_factorization(X, n_components=3, update_H=False)
    with pytest.raises(ValueError, match="both must be given"):
        orthant.non_negative_factorization(X, n_components=3, init="custom")
    with pytest.raises(ValueError, match="H has 3 rows, and n_components=5"):
        orthant.non_negative_factorization(X, H=np.ones((3, X.shape[1])), n_components=5, update_H=False)
    with pytest.raises(ValueError, match="2D array"):
        orthant.knn_graph(np.arange(5.0))
    with pytest.raises(ValueError, match="weights by name"):
        orthant.Factorization(3, terms=["graph"]).fit(X)
    with pytest.raises(ValueError, match="has no labels"):
        orthant.compare((X, None), ["nmf"])


def test_ranks(tmp_path):
    rng = np.random.default_rng(0)
    X = abs(rng.gamma(0.5, 1, (90, 4)) @ rng.gamma(0.5, 1, (4, 40)) + rng.normal(0, 0.05, (90, 40)))
    survey = orthant.ranks(X, "2:6", repeats=4, folder=tmp_path / "ranks", n_jobs=2)
    assert survey.recommended == 4 and survey.numbers == [2, 3, 4, 5, 6]
    assert "k = 4" in survey.reasons[0] and "recommended  k = 4" in str(survey)
    assert min(survey.rows, key=lambda row: row["error"])["k"] >= 4
    assert (tmp_path / "ranks" / "report.html").exists()
    same = orthant.ranks(X, [2, 3, 4, 5, 6], repeats=4, n_jobs=1)
    assert same.rows == survey.rows
    some = orthant.ranks(X, "2:3", repeats=2, criteria=["starts"], method="nmf-kl", iterations=20)
    assert set(some.rows[0]) == {"k", "objective", "objective_deviation", "explained", "explained_deviation",
                                 "cophenetic", "dispersion"}
    with pytest.raises(ValueError, match="nonnegative basis"):
        orthant.ranks(X, method="pca")
    plt = pytest.importorskip("matplotlib.pyplot")
    assert len(orthant.plot.ranks(survey).lines) == 4
    plt.close("all")


def test_graph_weight_follows_the_data():
    rng = np.random.default_rng(0)
    X = rng.random((60, 20))
    own, scaled = orthant.GNMF(3, random_state=1).fit(X), orthant.GNMF(3, random_state=1).fit(1000 * X)
    edges = orthant.knn_graph(X, 5).sum() / 2
    samples_per_part, neighbours = len(X) / 3, 2 * edges / len(X)
    np.testing.assert_allclose(own.graph_weight_, (X ** 2).sum() / (X.mean() * edges) * samples_per_part / neighbours)
    np.testing.assert_allclose(scaled.graph_weight_, 1000 * own.graph_weight_)
    given = orthant.GNMF(3, random_state=1, graph_weight=own.graph_weight_).fit(X)
    np.testing.assert_array_equal(given.encoding_, own.encoding_)
    np.testing.assert_array_equal(given.transform(X[:7]), own.transform(X[:7]))


def test_graph_of_what_is_known():
    from sklearn.metrics.pairwise import nan_euclidean_distances
    rng = np.random.default_rng(2)
    X = 0.1 + rng.random((90, 21))
    X[rng.random(X.shape) < 0.3] = np.nan
    far = nan_euclidean_distances(X, squared=True)
    mean = far.mean()
    np.fill_diagonal(far, np.inf)
    edges = np.zeros(far.shape, bool)
    np.put_along_axis(edges, np.argsort(far, 1)[:, :5], True, 1)
    edges |= edges.T
    np.testing.assert_array_equal(orthant.knn_graph(X, missing="nan").toarray() > 0, edges)
    stored = scipy.sparse.csr_array(np.nan_to_num(X))
    np.testing.assert_array_equal(orthant.knn_graph(stored, missing="zeros").toarray() > 0, edges)
    heat = orthant.knn_graph(X, weights="heat", missing="nan").toarray()
    np.testing.assert_allclose(heat[edges], np.exp(-far[edges] / (2 * mean)), rtol=1e-12)
    with pytest.raises(ValueError, match="NaN|nan"):
        orthant.knn_graph(X)
    with pytest.raises(ValueError, match="is for sparse data"):
        orthant.knn_graph(X, missing="zeros")
    with pytest.raises(ValueError, match="too few for 2 neighbours"):
        orthant.knn_graph([[1.0, np.nan], [np.nan, 2.0], [1.0, 1.0]], 2, missing="nan")


def test_consensus_beside_fixed_parts(X):
    known = np.linspace(0.5, 1.5, X.shape[1])[None]
    found = orthant.consensus(X, orthant.NMF(3, max_iter=30, random_state=1), repeats=4, threshold=2, fixed_components=known)
    np.testing.assert_array_equal(found.model.components_[:1], known)
    assert found.fixed == 1 and found.kept == 8 and [part["members"] for part in found.parts][0] == 0
    assert min(member["part"] for member in found.members) == 1 and min(member["cluster"] for member in found.members) == 1
    held = orthant.NMF(3, max_iter=30, random_state=1).fit(X, fixed_components=found.model.components_)
    np.testing.assert_array_equal(held.encoding_, found.model.encoding_)
    with pytest.raises(ValueError, match="1 fixed ones are given of 1"):
        orthant.consensus(X, orthant.NMF(1), repeats=4, fixed_components=known)


def test_consensus(tmp_path):
    """Planted parts come back, and what is told agrees with scikit-learn's encodings under the same parts."""
    rng = np.random.default_rng(0)
    W, S = rng.gamma(0.3, 1, (5, 40)), rng.gamma(0.3, 1, (120, 5))
    X = S @ W + rng.random((120, 40)) * 0.01
    found = orthant.consensus(X, orthant.NMF(5, max_iter=3000, tol=1e-8), repeats=12)
    assert found.kept + found.left_out == 60 == len(found.members) and len(found.parts) == 5
    assert found.silhouette > 0.9 and [part["silhouette"] for part in found.parts] == sorted(
        (part["silhouette"] for part in found.parts), reverse=True)
    parts = found.model.components_
    np.testing.assert_allclose(np.linalg.norm(parts, axis=1), 1, rtol=1e-12)
    unit = W / np.linalg.norm(W, axis=1, keepdims=True)
    assert (parts @ unit.T).max(axis=1).min() > 0.99 and len(set((parts @ unit.T).argmax(axis=1))) == 5
    codes, _, _ = theirs(X, H=parts, n_components=5, init="custom", update_H=False, solver="cd", max_iter=3000,
                         tol=1e-10, W=np.zeros((120, 5)))
    np.testing.assert_allclose(found.model.encoding_, codes, atol=1e-3 * codes.max())
    orthant.save_run(found.model, tmp_path / "run")
    assert "<h2>Consensus</h2>" in (tmp_path / "run" / "report.html").read_text()
    assert orthant.consensus(X, 3, repeats=3, threshold=2).model.components_.shape == (3, 40)
    with pytest.raises(ValueError, match="expected 2 to"):
        orthant.consensus(X, 3, repeats=1)
    again = orthant.NMF(3).fit(X)  # an estimator is as before
    assert again.start_objectives_.shape == (1,)


def test_what_is_read_can_be_compared():
    study = orthant.compare(orthant.read(DIGITS), ["kmeans"], repeats=1, classes="2")
    assert [row["method"] for row in study.rows] == ["kmeans"]


def test_codes_that_are_sparse(X):
    model = orthant.NMF(3, random_state=0, tol=1e-3).fit(X)
    codes = model.encoding_
    np.testing.assert_allclose(model.inverse_transform(scipy.sparse.csr_array(codes)), codes @ model.components_)


# ---- pictures --------------------------------------------------------------------------------


def test_plots_draw(X, tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    data = orthant.read(DIGITS)
    model = orthant.NMF(10, random_state=0, tol=1e-3).fit(data.X[:300])
    drawn = [orthant.plot.basis(model), orthant.plot.convergence({"nmf": model}),
             orthant.plot.consensus([orthant.NMF(3, random_state=i, tol=1e-3).fit(X) for i in range(3)]),
             orthant.plot.ranks([2, 3, 4], {"error": [3, 2, 1], "stability": [1, 0.9, 0.5]})]
    sheet = drawn[0].images[0].get_array()
    assert sheet.shape == (3 * 9 - 1, 4 * 9 - 1) and np.nanmax(sheet) == 1
    np.testing.assert_array_equal(drawn[1].lines[0].get_ydata(), model.history_["objective"])
    assert drawn[2].images[0].get_array().shape == (60, 60)
    assert len(drawn[3].lines) == 2
    names = orthant.plot.convergence([model, model]).get_legend_handles_labels()[1]
    assert names == ["NMF 1", "NMF 2"]
    for index, ax in enumerate(drawn):
        ax.figure.savefig(tmp_path / f"{index}.png")
        plt.close(ax.figure)
    with pytest.raises(ValueError, match="shape"):
        orthant.plot.basis(np.ones((3, 7)))


def test_matplotlib_is_imported_when_used(tmp_path):
    import sys
    program = "import orthant, sys; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_read_empty_cells(tmp_path):
    (tmp_path / "gaps.csv").write_text("1,2,3\n4,,6\n7,8,9\n")
    with pytest.raises(ValueError, match="gaps.csv"):
        orthant.read(tmp_path / "gaps.csv")
    X = orthant.read(tmp_path / "gaps.csv", missing=True).X
    assert np.isnan(X[1, 1]) and np.isfinite(X).sum() == 8
