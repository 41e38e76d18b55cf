"""Conway's game of life: the program `examples/game_of_life.rs`, steered from Python.

    python examples/python/game_of_life.py [DEVICE] [PICTURE.png]
"""

import pathlib
import sys

import ferrocca
import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels" / "game_of_life.okl"


def play(device, board, generations):
    """The board, 1 for each cell that lives, after so many generations."""
    rows, columns = board.shape
    generation = device.build_kernel(str(KERNELS), "generation")
    now = device.malloc_from(np.ascontiguousarray(board, dtype=np.uint8))
    later = device.malloc(board.shape, np.uint8)
    for _ in range(generations):
        generation(rows, columns, now, later)
        now, later = later, now
    return now.to_host()


def main(properties="CPU", picture=None):
    device = ferrocca.Device(properties)
    # The R-pentomino: five cells that take 1,103 generations to settle.
    board = np.zeros((96, 96), np.uint8)
    board[47:50, 47:50] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]
    times = (0, 50, 200, 500)
    boards = [play(device, board, generations) for generations in times]
    for generations, cells in zip(times, boards):
        print(f"generation {generations:3d}: {cells.sum()} cells live")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 2.6), layout="constrained")
        for axes, generations, cells in zip(figure.subplots(1, len(times)), times, boards):
            axes.imshow(cells, cmap="gray_r", interpolation="nearest")
            axes.set(title=f"generation {generations}", xticks=[], yticks=[])
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])
