"""Two streams: while one computes a piece, the other copies the next one; and the time line of it.

The copies are to and from pinned memory of the host. Devices that run one thing at a time show two rows that do not overlap.

    python examples/python/streams.py [DEVICE] [PICTURE.png]
"""

import sys

import ferrocca as fc
import numpy as np

SOURCE = """
@kernel void work(const int n, const int times, float *x) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    float y = x[i];
    for (int k = 0; k < times; ++k) { y = 0.5f * y + 1.0f; }
    x[i] = y;
  }
}
"""


def run(device, x, pieces=4, times=200):
    """Computes `x` in pieces on two streams; answers it, and for each step its name, stream, start and end in seconds."""
    length = -(-len(x) // pieces)
    kernel = device.kernel(SOURCE, "work")
    streams = [device.create_stream(), device.create_stream()]
    buffers = [device.malloc(length, "float32") for _ in streams]
    pinned = device.malloc_from(x) if not device.has_separate_memory_space else device.malloc(len(x), "float32", host=True)
    if device.has_separate_memory_space:
        pinned.copy_from(x)
    before, main = device.event(), device.stream
    for stream in streams:
        stream.wait(main)
    steps = []
    for piece in range(pieces):
        which = piece % len(streams)
        part = pinned[piece * length : (piece + 1) * length]
        buffer = buffers[which][: len(part)]
        device.set_stream(streams[which])
        for name, work in [
            ("copy in", lambda: buffer.copy_from(part)),
            ("compute", lambda: kernel(len(part), times, buffer)),
            ("copy out", lambda: part.copy_from(buffer)),
        ]:
            start = device.event()
            work()
            steps.append((name, which, start, device.event()))
    device.set_stream(main)
    device.finish()
    line = [(name, which, start - before, end - before) for name, which, start, end in steps]
    return pinned.to_host(), line


def main(properties="CPU", picture=None):
    device = fc.Device(properties)
    x = np.random.default_rng(3).random(1 << 20, np.float32)
    result, line = run(device, x)
    assert np.abs(result - 2).max() < 1e-5, "every number tends to 2"
    for name, which, start, end in line:
        print(f"stream {which}: {name:8s} {start * 1e3:8.3f} to {end * 1e3:8.3f} ms")
    if picture:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 1.8), layout="constrained")
        axes = figure.subplots()
        colours = {"copy in": "tab:blue", "compute": "tab:orange", "copy out": "tab:green"}
        for name, colour in colours.items():
            own = [step for step in line if step[0] == name]
            axes.barh([s[1] for s in own], [(s[3] - s[2]) * 1e3 for s in own], left=[s[2] * 1e3 for s in own], color=colour, label=name)
        axes.set(xlabel="ms", yticks=[0, 1], yticklabels=["stream 0", "stream 1"])
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=3)
        figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main(*sys.argv[1:])
