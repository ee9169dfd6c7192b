"""A custom combination of terms: what no paper has, watched while it is fitted.

A topographic term orders the parts on a torus of 4 x 4, a graph keeps neighbours together, and a callback looks at the
factors. Draws combination.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import orthant

path = Path(__file__).resolve().parents[2] / "data" / "digits" / "digits-images-idx3-ubyte.gz"
data = orthant.read(path, scale="unit")

active = []


def watch(told):
    """The share of codes above a tenth of the largest."""
    if told["phase"] == "fit" and told["done"] % 10 == 0:
        codes = told["factor"]("encoding")
        active.append((told["done"], np.mean(codes > codes.max() / 10)))


model = orthant.Factorization(16, terms={"topographic": 0.02, "graph": 0.1}, pooling="grid:4x4", neighbours=5,
                              normalise="basis", max_iter=200, tol=0, random_state=0, callback=watch).fit(data.X)
print(f"{model.n_iter_} iterations; " + ", ".join(f"{name} {model.history_[name][-1]:.4g}"
                                                   for name in ("loss", "topographic", "graph")))

figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
orthant.plot.basis(model, data, columns=4, ax=axes[0])
axes[0].set_title("parts on their grid")
for column in ("loss", "topographic", "graph"):
    axes[1].semilogy(model.history_["iteration"], model.history_[column], label=column)
axes[1].set(xlabel="iteration", title="the terms")
axes[1].legend()
axes[2].plot(*zip(*active))
axes[2].set(xlabel="iteration", title="share of codes that are active")
figure.savefig("combination.png", dpi=120)
