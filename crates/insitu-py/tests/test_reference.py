"""The reference itself: what the original program prints, and the same scheme point by point."""

import math

import reference


def test_the_original_s_value():
    steps = reference.solve()
    assert steps.shape == (2001, 258)
    assert f"{steps[-1, 10]:.6g}" == "0.0733873"


def test_the_scheme_point_by_point():
    points, nu, dt = 8, 0.02, 0.01
    h = 2 * math.pi / points
    u = [0.0] + [math.sin(i * h) for i in range(points)] + [0.0]
    u[0], u[points + 1] = u[points], u[1]
    for row in reference.solve(points=points, nu=nu, dt=dt, final_time=0.1):
        new = [u[points], *[0.0] * points, u[1]]
        for i in range(1, points + 1):
            diffusion = nu * dt / h**2 * (u[i + 1] - 2 * u[i] + u[i - 1])
            new[i] = u[i] + diffusion - u[i] * dt / (2 * h) * (u[i + 1] - u[i - 1])
        u = new
        assert row.tolist() == u
