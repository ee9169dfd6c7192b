"""A Pipeline with GridSearchCV: the number of parts and the weight of a term chosen by what a classifier makes of them.

Draws search.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import orthant
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

path = Path(__file__).resolve().parents[2] / "data" / "digits" / "digits-images-idx3-ubyte.gz"
X, y, *_ = orthant.read(path)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)

line = Pipeline([
    ("unit", Normalizer()),
    ("parts", orthant.NNSC(random_state=0, tol=1e-3, max_iter=100)),
    ("classes", LogisticRegression(C=100, max_iter=500)),
])
grid = {"parts__n_components": [5, 10, 20, 40], "parts__sparsity_weight": [0.001, 0.03]}
search = GridSearchCV(line, grid, cv=3).fit(X, y)
print(f"best: {search.best_params_}, {search.best_score_:.3f} in cross-validation, "
      f"{search.score(X_test, y_test):.3f} on {len(y_test)} new digits")

figure, ax = plt.subplots(layout="constrained")
scores = search.cv_results_["mean_test_score"].reshape(4, 2)
for column, weight in enumerate(grid["parts__sparsity_weight"]):
    ax.plot(grid["parts__n_components"], scores[:, column], marker="o", label=f"sparsity_weight {weight}")
ax.set(xlabel="number of parts", ylabel="accuracy", title="three folds")
ax.legend()
figure.savefig("search.png", dpi=120)
