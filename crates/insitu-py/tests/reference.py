"""The Burgers scheme in plain NumPy: what the solver and its in-situ analysis are compared with."""

import numpy as np


def solve(points=256, nu=0.01, dt=0.001, final_time=2.0, length=2 * np.pi):
    """Forward Euler, central differences, two ghost points that are refreshed from the previous step.

    Returns the field after every step, ghost points included: one row per step.
    """
    h = length / points
    c1, c2 = dt / (2 * h), nu * dt / h**2
    u = np.zeros(points + 2)
    u[1:-1] = np.sin(np.arange(points) * h)
    u[0], u[-1] = u[-2], u[1]
    time, steps = 0.0, []
    while time < final_time:
        inside, left, right = u[1:-1], u[:-2], u[2:]
        new = np.empty_like(u)
        new[1:-1] = inside + c2 * (right - 2 * inside + left) - inside * c1 * (right - left)
        new[0], new[-1] = u[-2], u[1]
        u = new
        time += dt
        steps.append(u)
    return np.array(steps)
