"""Views that outlive what they show, in every way that a test can make: let go on another thread, after the device and the run are
gone, never consumed, of no elements, with strides, of arrays of others, and at the interpreter's end.

`test_release.py` runs it, also with the address sanitiser where gcc has one. Under valgrind it uses no kernels of the processor's
own instructions: PYTHONMALLOC=malloc valgrind --log-file=memcheck.log python crates/insitu-py/tests/deleters.py
No error of the log may have a frame of `_native`."""

import gc
import threading

import ferrocca
import numpy as np
from ferrocca.burgers import Solver
from ferrocca.insitu import beside, on

kept = []


def views_of_memory_that_is_gone():
    device = ferrocca.Device("Serial")
    m = device.malloc_from(np.arange(100.0))
    views = [np.from_dlpack(m), np.asarray(m[10:20]), np.from_dlpack(m[::2]), memoryview(m[:0]), np.from_dlpack(m.reshape(10, 10).T)]
    never_consumed = m.__dlpack__(max_version=(1, 0))
    del never_consumed
    return views, m.__dlpack__()  # of no version


def memory_that_is_an_array():
    device = ferrocca.Device("CPU, threads=2")
    array = np.arange(50.0)
    part = device.wrap(array)[5:]
    del array
    part.fill(3.0)
    device.finish()
    thread = threading.Thread(target=part.to_host)
    thread.start()
    thread.join()
    return part


def hook(frame):
    if frame.step == 3:
        kept.extend([frame.u.array(), np.from_dlpack(frame.u)])
    return ferrocca.STOP if frame.step == 5 else None


class Keeping:
    """Keeps fields without a copy, and lets some of them go on another thread, while the solver goes on."""

    _only_looks = True

    def step(self, frame):
        kept.append(frame.u.keep().array())
        if frame.step % 3 == 0:
            thread = threading.Thread(target=kept.clear)
            thread.start()
            thread.join()


class Reading:
    def observe(self, batch):
        assert np.isfinite(batch.u.array()).all()


for _ in range(5):
    views, capsule = views_of_memory_that_is_gone()
    gc.collect()
    assert views[0][7] == 7.0 and views[4].shape == (10, 10)
    thread = threading.Thread(target=views.clear)
    thread.start()
    thread.join()
    del views, capsule
Solver(ferrocca.Device("Reference"), final_time=0.02).run(Keeping())
Solver(ferrocca.Device("Reference"), final_time=0.02).run(beside(on(Reading(), step=2)))
gc.collect()
assert len(kept) == 2 and all(np.isfinite(array).all() for array in kept)
fields = kept[:]
kept[:] = [memory_that_is_an_array()]
Solver(ferrocca.Device("Reference"), final_time=0.006).run(hook)
gc.collect()
assert kept[1].shape == (258,) and np.isfinite(kept[1]).all() and (kept[0].to_host() == 3).all()
try:
    import pyarrow
except ImportError:
    pass
else:
    array = pyarrow.array(np.arange(10.0))
    kept.append(ferrocca.Device("Serial").wrap(array[2:]))
    del array
    assert kept[-1].to_host()[0] == 2
print("the end, with views that are still held")
