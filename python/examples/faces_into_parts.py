"""Faces into parts: NMF adds pictures up, so that its parts are pieces of faces.

    python faces_into_parts.py [FILE]

FILE is a matrix of pictures such as ORL_32x32.mat, which does not come with Orthant: without one, and without
$ORTHANT_DATA/ORL/ORL_32x32.mat, the digits that do are taken apart. Draws parts.png.
"""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import orthant

digits = Path(__file__).resolve().parents[2] / "data" / "digits" / "digits-images-idx3-ubyte.gz"
faces = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ORTHANT_DATA", "") + "/ORL/ORL_32x32.mat")
if not faces.exists():
    print(f"{faces} is not there: digits in place of faces")
data = orthant.read(faces if faces.exists() else digits, scale="max")

models = {
    "NMF": orthant.NMF(25, random_state=0, max_iter=300),
    "NMF, basis of sparseness 0.6": orthant.NMFSC(25, basis_sparseness=0.6, encoding_sparseness=-1, random_state=0,
                                                  max_iter=600, tol=0),
    "k-means: whole pictures": orthant.KMeans(25, random_state=0),
}
figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="constrained")
for ax, (name, model) in zip(axes, models.items()):
    model.fit(data.X)
    orthant.plot.basis(model, data, ax=ax)
    ax.set_title(name)
    print(f"{name}: {model.n_iter_} iterations, objective {model.objective_:.4g}")
figure.savefig("parts.png", dpi=120)
