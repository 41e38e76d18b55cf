"""PyTorch learns while the solver runs: an autoencoder of the field, trained on the solver's own memory.

    burgers --insitu examples/insitu/autoencoder.py --output out

Every tenth step the field is a training sample. `torch.from_dlpack` shows it where it lies, on the host or on CUDA; the only copy
is the one into the buffer of recent samples. A latent space of four numbers stands for 256 points; a decomposition of the same rank
(POD) is its yardstick, because a linear autoencoder can do no better. At the end the errors of both are printed, and the
weights written to `autoencoder.pt`. Without PyTorch the script says so, and the run goes on.
"""

import os

from ferrocca.insitu import interior, on

try:
    import torch
except ImportError as error:
    torch = None
    print(f"autoencoder: skipped: {error} (pip install torch)")

LATENT, RECENT, BATCH, EPOCHS_AT_ONCE = 4, 64, 16, 4


class Autoencoder:
    """The hook."""

    def start(self, run):
        self.points, self.output = run.parameters["points"], run.output_dir or "."
        self.samples = self.model = None
        self.count, self.losses = 0, []

    def step(self, frame):
        if torch is None:
            return
        # Memory that PyTorch does not know, of OpenCL and WebGPU, comes as a copy.
        u = torch.from_dlpack(frame.u if frame.u.in_place else frame.u.to_host())
        u = interior(u, self.points)
        if self.model is None:
            self.begin(u)
        self.samples[self.count % RECENT] = u
        self.count += 1
        known = self.samples[: min(self.count, RECENT)]
        for _ in range(EPOCHS_AT_ONCE):
            batch = known[torch.randint(len(known), (BATCH,), device=known.device, generator=self.generator)]
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.model(batch), batch)
            loss.backward()
            self.optimizer.step()
        self.losses.append(loss.detach())  # not `.item()`: the host would wait for the device

    def begin(self, u):
        torch.manual_seed(1)
        like = {"dtype": u.dtype, "device": u.device}
        self.generator = torch.Generator(device=u.device).manual_seed(1)
        self.samples = torch.empty((RECENT, u.shape[0]), **like)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(u.shape[0], 64), torch.nn.Tanh(), torch.nn.Linear(64, LATENT),
            torch.nn.Linear(LATENT, 64), torch.nn.Tanh(), torch.nn.Linear(64, u.shape[0]),
        ).to(**like)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=2e-3)

    def finish(self, run):
        if not self.count:
            return
        known = self.samples[: min(self.count, RECENT)]
        with torch.no_grad():
            size = known.norm()
            learnt = ((self.model(known) - known).norm() / size).item()
            left, values, right = torch.linalg.svd(known, full_matrices=False)
            best = (values[LATENT:].norm() / size).item()
        torch.save(self.model.state_dict(), os.path.join(self.output, "autoencoder.pt"))
        first, last = self.losses[0].item(), self.losses[-1].item()
        print(f"autoencoder: {self.count} samples, loss {first:.3e} -> {last:.3e}, on {known.device}")
        print(f"autoencoder: relative error {learnt:.3e} with {LATENT} numbers; POD of the same rank {best:.3e}")


hook = on(Autoencoder(), step=10)
