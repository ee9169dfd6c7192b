"""A point cloud into its objects, by colours and normals.

    python point_cloud.py [FILE] [SEGMENTS]

FILE is a .pcd or .ply; without one a table with a box and a ball on it is made up. Draws cloud.png.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import orthant


def made_up():
    """Points on a table, a box and a ball, with some noise."""
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.uniform(-1, 1, (2500, 2)), np.zeros(2500)])
    box = rng.uniform(-0.25, 0.25, (1200, 3))
    side = rng.integers(3, size=1200)
    box[np.arange(1200), side] = 0.25 * rng.choice([-1, 1], 1200)
    ball = rng.normal(size=(1200, 3))
    ball *= 0.3 / np.linalg.norm(ball, axis=1, keepdims=True)
    points = np.concatenate([table, box + [-0.5, 0.2, 0.27], ball + [0.45, -0.2, 0.32]])
    colors = np.repeat([[150, 120, 90], [200, 60, 50], [60, 90, 200]], [2500, 1200, 1200], axis=0)
    noise = rng.normal(0, 12, colors.shape)
    return points + rng.normal(0, 0.004, points.shape), np.clip(colors + noise, 0, 255).astype(np.uint8)


if len(sys.argv) > 1:
    found = orthant.segment(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
    print(f"{len(found.labels)} points: {found.segments} segments; a picture is drawn into the folder 'cloud'")
    orthant.segment(sys.argv[1], found.segments, folder="cloud")
    sys.exit()

points, colors = made_up()
truth = np.repeat([0, 1, 2], [2500, 1200, 1200])
found = orthant.segment(points, 3, colors=colors, features="color,space", neighbours=10)
print(f"{len(points)} points, {found.edges} edges: accuracy {orthant.scores(found.labels, truth)['accuracy']:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", subplot_kw={"projection": "3d"})
for ax, shown, title in ((axes[0], colors / 255, "points"), (axes[1], plt.cm.tab10(found.labels), "segments")):
    ax.scatter(*points.T, c=shown, s=2)
    ax.set_box_aspect((2, 2, 0.7))
    ax.view_init(35, -60)
    ax.set_title(title)
    ax.set_axis_off()
figure.savefig("cloud.png", dpi=120)
