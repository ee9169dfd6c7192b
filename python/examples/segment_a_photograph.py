"""Segmentation of a photograph: superpixels become nodes of a graph, a factorisation labels them.

    python segment_a_photograph.py [PICTURE] [SEGMENTS]

Without a picture the scene that comes with Orthant is segmented, and scored with its truth. Draws segments.png.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import orthant
from PIL import Image

scene = Path(__file__).resolve().parents[2] / "data" / "scene"
path = Path(sys.argv[1]) if len(sys.argv) > 1 else scene / "scene.png"
segments = int(sys.argv[2]) if len(sys.argv) > 2 else 6
picture = np.asarray(Image.open(path).convert("RGB"))

whole = orthant.segment(picture, segments, finish="textures")
counted = orthant.segment(picture)
print(f"{whole.nodes} superpixels, {whole.edges} edges; {whole.segments} segments asked for; "
      f"{counted.segments} counted: {counted.evidence}")
if path.parent == scene:
    truth = np.asarray(Image.open(scene / "scene-truth.png"))
    for name, found in (("asked for", whole), ("counted", counted)):
        scores = orthant.segmentation_scores(found.labels, truth)
        print(f"{name}: {scores['CS']:.0f} % of the regions, covering {scores['covering']:.2f}")

figure, axes = plt.subplots(1, 3, figsize=(13, 3.4), layout="constrained")
axes[0].imshow(picture)
axes[0].set_title("picture")
for ax, found, title in ((axes[1], whole, f"{segments} segments"), (axes[2], counted, "as many as it suggests")):
    means = np.stack([picture[found.labels == label].mean(axis=0) for label in range(found.segments)])
    ax.imshow(means[found.labels].astype(np.uint8))
    ax.contour(found.labels, levels=np.arange(found.segments) - 0.5, colors="white", linewidths=0.6)
    ax.set_title(title)
for ax in axes:
    ax.set_axis_off()
figure.savefig("segments.png", dpi=120)
