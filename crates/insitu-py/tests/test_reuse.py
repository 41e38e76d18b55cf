"""Memory that arrays have let go is kept for the next ones, and handed out only where nothing uses it any more."""

import ferrocca as fc
import numpy as np
import pytest

BYTES = 8 * 1000


@pytest.fixture(params=["Serial", "CPU, threads=2", "OpenCL", "WebGPU"])
def device(request):
    from conftest import open_device

    return open_device(request.param)


def test_the_memory_of_a_temporary_is_used_again(device):
    with device:
        x = fc.asarray(np.arange(1000.0))
        y = 2 * x + x
        assert (y.get() == 3 * np.arange(1000.0)).all()
        assert device.memory_allocated == 2 * BYTES and device.pool_bytes == BYTES
        for _ in range(20):
            y = 2 * x + x
        assert (y.get() == 3 * np.arange(1000.0)).all()
        assert device.pool_bytes <= 2 * BYTES, "operations of one shape need no more than their temporaries"
        # One of another size, and one of another type that is little smaller.
        large = fc.zeros(5000)
        kept = device.pool_bytes
        other = fc.ones(1990, dtype="float32")
        assert device.pool_bytes == kept - BYTES and other.get().sum() == 1990
        del large, other, y
        freed = device.pool_bytes
        assert device.free_pool() == freed > 0 and device.pool_bytes == 0
        assert device.memory_allocated == BYTES and device.free_pool() == 0


def test_what_a_view_shows_is_not_handed_out(device):
    with device:
        x = fc.asarray(np.arange(1000.0))
        row, host = x[10:20], x.array() if x.in_place else None
        del x
        assert device.pool_bytes == 0
        others = [fc.zeros(1000) for _ in range(3)]
        assert (row.get() == np.arange(10.0, 20.0)).all() and len(others) == 3
        if host is not None:
            assert (host == np.arange(1000.0)).all()
        del row, host
        assert device.pool_bytes == BYTES


def test_memory_that_another_stream_used_goes_back(device):
    with device:
        x = fc.asarray(np.arange(1000.0))
        stream = device.stream
        device.set_stream(device.create_stream())
        y = x + 1
        device.finish()
        device.set_stream(stream)
        del x
        assert device.pool_bytes == 0, "work of another stream might still read it"
        del y
        assert device.pool_bytes == BYTES
        # What was made for the other stream is not used for this one.
        z = fc.zeros(1000)
        assert device.pool_bytes == BYTES and z.get().sum() == 0


def test_no_more_is_kept_than_was_in_use(device):
    with device:
        lengths = [(3 << 20) + 500_000 * step for step in range(8)]
        for length in lengths:
            fc.zeros(length, dtype="uint8")
        # Each is another size. Below 64 MiB all are kept.
        assert 0 < device.pool_bytes <= sum(lengths)
        x = fc.zeros(40 << 20, dtype="uint8")
        y = fc.zeros(50 << 20, dtype="uint8")
        del x, y
        assert device.pool_bytes <= max(64 << 20, (90 << 20) + sum(lengths))
        for step in range(30):
            fc.zeros((20 << 20) + (step << 22), dtype="uint8")
        assert device.pool_bytes <= (136 << 20) + (90 << 20) + sum(lengths), "sizes that do not come again are given back"


def test_devices_that_watch_memory_take_each_array_as_new():
    for properties in ["Reference", "mode=Serial, checked=true"]:
        device = fc.Device(properties)
        with device:
            x = fc.ones(100)
            del x
            assert device.pool_bytes == 0


def test_the_last_handle_gives_everything_back():
    device = fc.Device("Serial")
    with device:
        x = fc.zeros(1000) + 1
        x = x + 1
    assert device.pool_bytes > 0
    del device
    assert (x.get() == 2).all()
    y = x + x
    assert (y.get() == 4).all()


def test_memory_that_was_asked_for_by_its_name_is_not_kept(device):
    for make in (lambda: device.malloc(1000), lambda: device.malloc_from(np.arange(1000.0))):
        memory = make()
        assert device.memory_allocated == BYTES
        del memory
        assert device.memory_allocated == 0 and device.pool_bytes == 0
