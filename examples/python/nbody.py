"""Bodies that attract each other: the program `examples/nbody.rs`, steered from Python.

    python examples/python/nbody.py [DEVICE] [PICTURE.png]
"""

import pathlib
import sys

import ferrocca
import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels" / "nbody.okl"
SOFTENING = 0.05


def disc(bodies):
    """Bodies on a disc that turns: position and mass of each (bodies, 4), and velocity with a zero behind."""
    index = np.arange(bodies)
    # The golden angle spreads them evenly.
    radius, angle = np.sqrt((index + 0.5) / bodies), index * 2.3999632
    x, y, zero = radius * np.cos(angle), radius * np.sin(angle), np.zeros(bodies)
    position = np.stack([x, y, zero, np.full(bodies, 1 / bodies)], axis=1)
    return position.astype(np.float32), np.stack([-0.8 * y, 0.8 * x, zero, zero], axis=1).astype(np.float32)


def solve(device, position, velocity, steps, dt):
    """Moves the bodies by `steps` steps of length `dt` (leapfrog: kick, drift, kick)."""
    bodies, props = len(position), {"defines": {"TILE": 64}}
    accelerate = device.build_kernel(str(KERNELS), "accelerate", props)
    move = device.build_kernel(str(KERNELS), "kick_and_drift", props)
    # Arrays of shape (bodies, 4) are the `float4 *` of the kernels.
    position, velocity = device.malloc_from(position), device.malloc_from(velocity)
    acceleration = device.malloc((bodies, 4), np.float32)
    for step in range(steps + 1):
        accelerate(bodies, SOFTENING, position, acceleration)
        # The first and the last kick are half ones; after the last one nothing drifts.
        is_end = step in (0, steps)
        move(bodies, dt / 2 if is_end else dt, 0.0 if step == steps else dt, acceleration, velocity, position)
    return position.to_host(), velocity.to_host()


def energy(position, velocity):
    """Kinetic and potential energy."""
    position, velocity = position.astype(float), velocity.astype(float)
    mass, at = position[:, 3], position[:, :3]
    apart = at[:, None, :] - at[None, :, :]
    inverse = 1 / np.sqrt((apart**2).sum(axis=2) + SOFTENING**2)
    np.fill_diagonal(inverse, 0)
    return 0.5 * (mass * (velocity[:, :3] ** 2).sum(axis=1)).sum() - 0.5 * (mass * (inverse @ mass)).sum()


def main(properties="CPU", picture=None):
    device = ferrocca.Device(properties)
    start, moving = disc(2048)
    states = [(start, moving)] + [solve(device, start, moving, steps, 0.01) for steps in (100, 200)]
    for steps, (position, velocity) in zip((0, 100, 200), states):
        print(f"after {steps:3d} steps: energy {energy(position, velocity):.6f}")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9, 3.4), layout="constrained")
        for axes, steps, (position, _) in zip(figure.subplots(1, 3, sharex=True, sharey=True), (0, 100, 200), states):
            axes.plot(position[:, 0], position[:, 1], ".", markersize=1.5, color="black")
            axes.set(title=f"t = {0.01 * steps:g}", xlabel="x", xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
        figure.axes[0].set_ylabel("y")
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])
