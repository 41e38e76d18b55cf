"""JAX differentiates a loss of a frame: how the field should change for less of it, and a viscosity that is steered by it.

    burgers --insitu examples/insitu/gradient.py --dt 1e-4

The loss is the steepness of the front, the mean of (du/dx)^2. Every hundredth step its gradient is taken with respect to the
viscosity, through ten steps of the same scheme that JAX runs by itself on the field, and the viscosity follows it towards a
steepness of 1. JAX takes arrays for immutable, so it gets `frame.u.frozen()`, and keeps a copy. Without JAX the script says so,
and the run goes on.
"""

from ferrocca.insitu import interior, on

try:
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
except ImportError as error:
    jax = None
    print(f"gradient: skipped: {error} (pip install jax)")

WANTED, RATE, STEPS = 1.0, 2e-3, 10


def steepness(u, dx):
    return jnp.mean(((jnp.roll(u, -1) - jnp.roll(u, 1)) / (2 * dx)) ** 2)


def loss(nu, u, dt, dx):
    """What the steepness will be, by the solver's own scheme: forward Euler and central differences."""

    def step(u, _):
        before, after = jnp.roll(u, 1), jnp.roll(u, -1)
        slope, curvature = (after - before) / (2 * dx), (after - 2 * u + before) / dx**2
        return u + dt * (nu * curvature - u * slope), None

    u, _ = jax.lax.scan(step, u, length=STEPS)
    return (steepness(u, dx) - WANTED) ** 2


class Steepness:
    """The hook."""

    def start(self, run):
        self.points = run.parameters["points"]
        self.dx = run.parameters["length"] / self.points
        self.losses = []
        if jax is not None:
            self.value_and_gradient = jax.jit(jax.value_and_grad(loss))

    def step(self, frame):
        if jax is None:
            return
        u = frame.u.frozen() if frame.u.in_place else frame.u.to_host()
        u = jnp.array(interior(jax.dlpack.from_dlpack(u), self.points), copy=True)
        nu, dt = frame.parameters["nu"], frame.parameters["dt"]
        value, slope = self.value_and_gradient(nu, u, dt, self.dx)
        self.losses.append(float(value))
        # Within what the scheme is stable for.
        frame.set(nu=min(max(nu - RATE * float(slope), 1e-3), 0.4 * self.dx**2 / dt))

    def finish(self, run):
        if self.losses:
            first, last, nu = self.losses[0], self.losses[-1], run.parameters["nu"]
            print(f"gradient: loss {first:.4f} -> {last:.4f} after {len(self.losses)} changes, nu = {nu:.4f}")


hook = on(Steepness(), step=100)
