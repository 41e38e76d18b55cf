"""Recorded loops in Python: the bits of single launches, at the price of a loop in Rust."""

import gc
import re
import time
import weakref

import ferrocca
import numpy as np
import pytest
import reference

SOURCE = """
@kernel void step(const int n, const double c1, const double c2, const double *u_prev, double *u) {
  for (int i = 1; i < n + 1; ++i; @tile(64, @outer, @inner)) {
    u[i] = u_prev[i] + c2 * (u_prev[i + 1] - 2.0 * u_prev[i] + u_prev[i - 1]) - u_prev[i] * c1 * (u_prev[i + 1] - u_prev[i - 1]);
    if (i == 1) u[n + 1] = u_prev[1];
    if (i == n) u[0] = u_prev[n];
  }
}
@kernel void scale(const int n, const double a, double *x) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) x[i] *= a;
}
"""
N = 256
H = 2 * np.pi / N
C1, C2 = 0.001 / (2 * H), 0.001 * 0.01 / H**2


@pytest.fixture(params=["Serial", "CPU, threads=2", "mode=OpenCL", "mode=WebGPU", "mode=CUDA"])
def device(request, opened):
    return opened(request.param)


def initial():
    u = np.zeros(N + 2)
    u[1:-1] = np.sin(np.arange(N) * H)
    u[0], u[-1] = u[-2], u[1]
    return u


def kernel(device, name):
    return device.build_kernel_from_string(SOURCE, name)


def single_launches(device, count):
    step = kernel(device, "step")
    u_prev, u = device.malloc_from(initial()), device.malloc(N + 2)
    for _ in range(count):
        step(N, C1, C2, u_prev, u)
        u, u_prev = u_prev, u
    return u_prev.to_host()


def test_a_replayed_loop_has_the_bits_of_single_launches(device):
    step = kernel(device, "step")
    u_prev, u = device.malloc_from(initial()), device.malloc(N + 2)
    ring = device.malloc((2001, N + 2))
    with device.record() as g:
        step(N, C1, C2, u_prev, u)
        g.snapshot(u, ring)
        g.rotate(u, u_prev)
    assert g.launches == 1 and g.slots == 2001 and np.array_equal(u_prev.to_host(), initial()), "nothing has run"
    u, u_prev = g.replay(2001)
    assert np.array_equal(u_prev.to_host(), single_launches(device, 2001))
    rows = ring.to_host()
    assert np.array_equal(rows[-1], u_prev.to_host()) and np.array_equal(rows[-2], u.to_host())
    assert np.abs(rows - reference.solve()).max() < 1e-12


def test_replays_and_single_launches_mix(device):
    step = kernel(device, "step")
    u_prev, u = device.malloc_from(initial()), device.malloc(N + 2)
    with device.record() as g:
        step(N, C1, C2, u_prev, u)
        g.rotate(u, u_prev)
    u, u_prev = g.replay(3)
    step(N, C1, C2, u_prev, u)
    # The program has swapped by itself, and says so.
    u, u_prev = g.replay(4, u_prev, u)
    assert np.array_equal(u_prev.to_host(), single_launches(device, 8))
    with pytest.raises(ferrocca.WrongTypeError, match="have 2 buffers, 1 were given"):
        g.replay(1, u)
    with pytest.raises(ferrocca.WrongValueError, match="none of the buffers"):
        g.replay(1, u, device.malloc(N + 2))


def test_the_plan_says_how_many_steps_a_pass_does_and_why(device):
    step = kernel(device, "step")
    u_prev, u = device.malloc_from(initial()), device.malloc(N + 2)
    graph = device.record()
    with pytest.raises(ferrocca.Error, match="not recorded yet"):
        graph.plan()
    with graph as g:
        step(N, C1, C2, u_prev, u)
        g.rotate(u, u_prev)
    assert re.match(r"(one step|\d+ steps) a pass: \w+", g.plan()), g.plan()


def test_copies_fills_and_new_arguments(device):
    scale = kernel(device, "scale")
    x, y = device.malloc_from(np.ones(5)), device.malloc(5)
    with device.record() as g:
        scale(5, 2.0, x)
        y.copy_from(x)
        x.fill(3.0)
    assert x.to_host().tolist() == [1.0] * 5
    assert g.replay() is None
    assert y.to_host().tolist() == [2.0] * 5 and x.to_host().tolist() == [3.0] * 5
    g.set_argument(0, "a", 10.0)
    g.replay(2)
    assert y.to_host().tolist() == [30.0] * 5
    g.set_argument(0, 1, 0.5)
    g.replay()
    assert y.to_host().tolist() == [1.5] * 5
    for call, kind, said in [
        (lambda: g.set_argument(1, "a", 1.0), IndexError, "a graph of 1 launches"),
        (lambda: g.set_argument(0, "b", 1.0), ValueError, "no parameter `b`"),
        (lambda: g.set_argument(0, "a", "one"), TypeError, "takes a number"),
        (lambda: g.set_argument(0, "n", 3), TypeError, "n"),
    ]:
        with pytest.raises(kind, match=said):
            call()


def test_snapshots_stay_in_their_ring(device):
    scale = kernel(device, "scale")
    x, ring = device.malloc_from(np.ones(4)), device.malloc((3, 4))
    ring.fill(0)
    with device.record() as g:
        scale(4, 2.0, x)
        g.snapshot(x, ring)
    g.replay(2, first_slot=1)
    assert ring.to_host()[:, 0].tolist() == [0.0, 2.0, 4.0]
    for times, first in (4, 0), (2, 2), (1, 3):
        with pytest.raises(IndexError, match="3 slots"):
            g.replay(times, first_slot=first)
    assert x.to_host()[0] == 4.0, "nothing of it has run"


def test_arrays_of_others_live_as_long_as_the_graph(opened):
    device = opened("CPU, threads=2")
    x = np.ones(8)
    alive = weakref.ref(x)
    scale = kernel(device, "scale")
    with device.record() as g:
        scale(8, 2.0, x)
    view = x.view()
    del x
    gc.collect()
    g.replay(3)
    assert alive() is not None and view[0] == 8.0
    del g, view
    gc.collect()
    device.finish()
    assert alive() is None


def test_wrong_use_is_refused(device):
    scale, x = kernel(device, "scale"), device.malloc_from(np.ones(4))
    empty = device.record()
    with pytest.raises(ferrocca.Error, match="with device.record"):
        empty.replay()
    with pytest.raises(ferrocca.Error, match="`with` block"):
        empty.rotate(x, x)
    with pytest.raises(ZeroDivisionError), device.record() as g:
        scale(4, 2.0, x)
        1 / 0
    with pytest.raises(ferrocca.Error, match="not recorded"):
        g.replay()
    scale(4, 2.0, x)
    assert x.to_host()[0] == 2.0, "launches run again"
    with device.record() as g:
        with pytest.raises(ferrocca.Error, match="within another"), device.record():
            pass
        scale(4, 2.0, x)
    g.replay()
    assert x.to_host()[0] == 4.0
    with pytest.raises(ferrocca.Error, match="recorded already"), g:
        pass
    with pytest.raises(IndexError, match="whose error was ignored.*element 399"), device.record() as g:
        with pytest.raises(IndexError, match="element 399"):
            scale(400, 2.0, x)
    with pytest.raises(ferrocca.Error, match="not recorded"):
        g.replay()


def test_what_a_recording_cannot_hold_is_refused(device):
    scale, x = kernel(device, "scale"), device.malloc_from(np.ones(4))
    reads = [
        (x.to_host, "`to_host\\(\\)` within a recording would read .*: read it after `replay`"),
        (x.tolist, "within a recording would read"),
        (lambda: float(x[0]), "within a recording would read"),
        (lambda: float(x.sum()), "cannot be recorded"),
        (lambda: x.copy_to(np.zeros(4)), "`copy_to` an array on the host within a recording"),
        (lambda: x.copy_from(np.zeros(4)), "`copy_from` of an array on the host within a recording would run now"),
        (lambda: x.__dlpack__(dl_device=(1, 0), copy=True), "a copy to the host within a recording"),
    ]
    with device.record() as g:
        scale(4, 2.0, x)
        for read, said in reads:
            with pytest.raises(ferrocca.WrongValueError, match=said):
                read()
        y = device.malloc_from(np.full(4, 5.0))  # memory is made at once
        y.copy_from(x)
        device.finish()
    assert x.to_host().tolist() == [1.0] * 4
    g.replay()
    assert x.to_host().tolist() == y.to_host().tolist() == [2.0] * 4


def test_buffers_that_cannot_swap_and_counts_that_are_none(device):
    scale, x = kernel(device, "scale"), device.malloc_from(np.ones(4))
    for other, said in (device.malloc(5), "buffer 2 has 5 elements of float64"), (device.malloc(4, "int64"), "4 elements of int64"):
        expected = f"swap roles, .*: buffer 1 has 4 elements of float64, .*{said}$"
        with pytest.raises(ferrocca.WrongValueError, match=expected), device.record() as g:
            g.rotate(x, other)
        with pytest.raises(ferrocca.Error, match="whose error was ignored"), device.record() as g:
            with pytest.raises(ferrocca.WrongValueError, match=expected):
                g.rotate(x, other)
    with device.record() as g:
        scale(4, 2.0, x)
        with pytest.raises(ferrocca.WrongTypeError, match="a ring of int8 takes no snapshots of float64: make the ring of float64"):
            g.snapshot(x, device.malloc(8, "int8"))
    for count, kind, said in [
        (-1, ferrocca.WrongValueError, "times must be at least 0, not -1$"),
        (2**70, ferrocca.WrongValueError, f"times must be between 0 and {2**64 - 1}, not {2**70}$"),
        (2.0, ferrocca.WrongTypeError, "times is an integer, not 2.0 .`float`.: pass `int"),
        ("2", ferrocca.WrongTypeError, "times is an integer, not '2' .`str`.$"),
    ]:
        with pytest.raises(kind, match=said):
            g.replay(count)
    g.replay(np.int64(2))
    assert x.to_host().tolist() == [4.0] * 4


def test_events_time_the_work_between_them(device):
    scale, x = kernel(device, "scale"), device.malloc_from(np.ones(10**6))
    scale(10**6, 1.0, x)
    start = device.event()
    for _ in range(20):
        scale(10**6, 1.0, x)
    end = device.event()
    before = time.perf_counter()
    end.wait()
    seconds = end - start
    assert end.is_reached and start.is_reached and 0 < seconds < 60
    assert (start - start) == 0.0 and time.perf_counter() - before < 60
    device.synchronize()


def test_a_profile_counts_launches(device):
    scale, x = kernel(device, "scale"), device.malloc_from(np.ones(1000))
    scale(1000, 1.0, x)
    with device.profile() as p:
        for _ in range(7):
            scale(1000, 1.0, x)
    scale(1000, 1.0, x)
    (only,) = p.kernels
    assert (only["name"], only["count"], only["bytes"]) == ("scale", 7, 7 * 8000)
    assert 0 < only["min_seconds"] <= only["mean_seconds"] <= only["max_seconds"]
    assert abs(only["mean_seconds"] * 7 - only["total_seconds"]) < 1e-12 + 1e-6 * only["total_seconds"]
    assert "scale" in str(p) and "<td>scale</td><td>7</td>" in p._repr_html_()


def test_translate_gives_the_compilers_text(tmp_path, device):
    path = tmp_path / "kernels.okl"
    path.write_text(SOURCE)
    assert device.translate(path) == device.translate(path, {}) and "step" in device.translate(path)
    assert "__global__" in ferrocca.translate("CUDA", path)
    with pytest.raises(ferrocca.FileError):
        device.translate(tmp_path / "none.okl")
    path.write_text("@kernel void broken(")
    with pytest.raises(ferrocca.BuildError, match="kernels.okl"):
        device.translate(path)
