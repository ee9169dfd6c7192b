"""Choosing the number of parts: the error always falls; the right number is where starts still agree.

Data of five parts and noise are fitted with 2 to 9 parts from ten starts each. How well the starts agree is the mean
of their ARI with each other. Draws ranks.png.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import orthant

rng = np.random.default_rng(0)
codes = np.eye(5)[rng.integers(5, size=300)] + rng.gamma(0.3, 0.2, (300, 5))
X = codes @ rng.gamma(0.5, 1, (5, 40)) + rng.uniform(0, 0.5, (300, 40))

numbers = range(2, 10)
error, agreement, labels = [], [], {}
for k in numbers:
    fits = [orthant.NMF(k, random_state=start, tol=1e-4).fit(X) for start in range(10)]
    labels[k] = [fit.labels_ for fit in fits]
    error.append(min(fit.reconstruction_err_ for fit in fits))
    agreement.append(np.mean([orthant.scores(a, b)["ari"] for a, b in itertools.combinations(labels[k], 2)]))
    print(f"{k} parts: error {error[-1]:.3f}, agreement {agreement[-1]:.3f}")

figure, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
orthant.plot.ranks(numbers, {"error": error, "agreement of starts": agreement}, ax=axes[0])
for ax, k in zip(axes[1:], (5, 8)):
    orthant.plot.consensus(labels[k], ax=ax)
    ax.set_title(f"{k} parts")
figure.savefig("ranks.png", dpi=120)
