"""TensorFlow looks at a running solver through DLPack: a spectrum by its FFT, and how much of it is in the high half.

    burgers --insitu examples/insitu/tensorflow_view.py

The program opens its device before this script imports TensorFlow. Keep that order in programs of your own where the device is
OpenCL or WebGPU: their drivers bring an LLVM, TensorFlow another one, and a process in which TensorFlow's comes first crashes.
TensorFlow takes tensors for immutable, so it gets `frame.u.frozen()`, and keeps nothing of it after the step. Without
TensorFlow the script says so, and the run goes on.
"""

import os

from ferrocca.insitu import interior, on

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import tensorflow as tf
except ImportError as error:
    tf = None
    print(f"tensorflow_view: skipped: {error} (pip install tensorflow)")


class Spectrum:
    """The hook."""

    def start(self, run):
        self.points, self.shares = run.parameters["points"], []

    def step(self, frame):
        if tf is None:
            return
        if frame.u.in_place:
            u = tf.experimental.dlpack.from_dlpack(frame.u.frozen().__dlpack__())
        else:
            u = tf.convert_to_tensor(frame.u.to_host())
        energy = tf.abs(tf.signal.rfft(tf.cast(interior(u, self.points), tf.float32))) ** 2
        self.shares.append(float(tf.reduce_sum(energy[self.points // 4 :]) / tf.reduce_sum(energy)))

    def finish(self, run):
        if self.shares:
            print(f"tensorflow_view: energy in the high half {self.shares[0]:.3e} -> {self.shares[-1]:.3e}")


hook = on(Spectrum(), step=200)
