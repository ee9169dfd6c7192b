"""Topics of texts: counts of words into topics by the Kullback-Leibler loss, on a sparse matrix that stays sparse.

    python topics_of_reuters.py [FILE]

FILE is Reuters21578.mat, which does not come with Orthant: without it, and without
$ORTHANT_DATA/Reuters21578/Reuters21578.mat, the paragraphs of Orthant's own documents are the texts, and their words
are known too. Draws topics.png.
"""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import orthant
from sklearn.feature_extraction.text import CountVectorizer

source = Path(__file__).resolve().parents[2]
reuters = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ORTHANT_DATA", "")
               + "/Reuters21578/Reuters21578.mat")
if reuters.exists():
    X, y, *_ = orthant.read(reuters)
    largest = np.isin(y, np.argsort(np.bincount(y))[-10:])  # the ten largest categories
    X, y = X[largest], y[largest]
    words = np.array([f"word {i}" for i in range(X.shape[1])])
else:
    print(f"{reuters} is not there: the documents of Orthant in place of Reuters")
    documents = sorted((source / "docs").glob("*.md"))
    texts = [(paragraph, place) for place, path in enumerate(documents)
             for paragraph in path.read_text().split("\n\n") if len(paragraph) > 200]
    counter = CountVectorizer(stop_words="english", min_df=5, max_df=0.2, token_pattern="[a-z]{4,}")
    X = counter.fit_transform([text for text, _ in texts]).astype(np.float32)
    kept = np.asarray(X.sum(axis=1)).ravel() > 0
    X, y = X[kept], np.array([place for _, place in texts])[kept]
    words = counter.get_feature_names_out()

model = orthant.KLNMF(10, random_state=0, solver="newton", max_iter=200, labels_rule="argmax:encoding").fit(X)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz} counts: {model.n_iter_} iterations, "
      f"{orthant.scores(model.labels_, y)['nmi']:.2f} NMI with where they come from")

figure, axes = plt.subplots(2, 5, figsize=(13, 5), layout="constrained")
for ax, topic, number in zip(axes.flat, model.components_, range(10)):
    top = np.argsort(topic)[-8:]
    ax.barh(words[top], topic[top] / topic.sum())
    ax.set_title(f"topic {number}: {np.sum(model.labels_ == number)} texts", fontsize=10)
    ax.tick_params(labelsize=8)
figure.savefig("topics.png", dpi=120)
