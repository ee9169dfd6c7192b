"""Semi-supervised digits: what a few labels bring. A label that is not known is -1, as scikit-learn has it.

Draws labels.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import orthant

path = Path(__file__).resolve().parents[2] / "data" / "digits" / "digits-images-idx3-ubyte.gz"
X, y, *_ = orthant.read(path, scale="unit")
shares = [0.01, 0.03, 0.1, 0.3]
methods = {"NMF": orthant.NMF(10), "GNMF": orthant.GNMF(10), "CDNMF": orthant.CDNMF(),
           "SGNMF": orthant.SGNMF(10), "CNMF": orthant.CNMF(10)}

found = {name: [] for name in methods}
for share in shares:
    known = np.random.default_rng(0).random(len(y)) < share
    for name, method in methods.items():
        method.set_params(random_state=0, max_iter=200, tol=1e-4)
        labels = method.fit(X, np.where(known, y, -1)).labels_
        # The score of the samples whose label was not given.
        found[name].append(orthant.scores(labels, np.where(known, -1, y))["accuracy"])
    print(f"{share:4.0%} known: " + ", ".join(f"{name} {values[-1]:.2f}" for name, values in found.items()))

figure, ax = plt.subplots(layout="constrained")
for name, values in found.items():
    ax.semilogx([100 * share for share in shares], values, marker="o", label=name)
ax.set(xlabel="labels that are known, %", ylabel="accuracy of the others", title="1,797 digits")
ax.legend()
figure.savefig("labels.png", dpi=120)
