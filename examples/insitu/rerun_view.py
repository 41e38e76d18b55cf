"""The field in Rerun's viewer (https://rerun.io), by batches: the solver does not stop for it.

    burgers --insitu examples/insitu/rerun_view.py --output out        writes out/burgers.rrd: rerun out/burgers.rrd
    RERUN_SPAWN=1 burgers --insitu examples/insitu/rerun_view.py       opens the viewer

Rerun shows and does not steer; `burgers --live` is a page that does, with nothing to install. Rerun is some 170 MB and sends
usage statistics unless `rerun analytics disable` was run. Without it (`pip install rerun-sdk`) the script says so, and the run
goes on.
"""

import os

import numpy as np
from ferrocca.insitu import interior, to_numpy, values

try:
    import rerun
except ImportError as error:
    rerun = None
    print(f"rerun_view: skipped: {error} (pip install rerun-sdk)")


def start(run):
    global points
    points = run.parameters["points"]
    if rerun is None:
        return
    rerun.init(f"ferrocca {run.name}", spawn="RERUN_SPAWN" in os.environ)
    if "RERUN_SPAWN" not in os.environ:
        rerun.save(os.path.join(run.output_dir or ".", f"{run.name}.rrd"))


def observe(batch):
    if rerun is None:
        return
    rows = to_numpy(interior(values(batch.u), points))
    for step, time, row in zip(batch.steps[::10], batch.times[::10], rows[::10]):
        rerun.set_time("step", sequence=step)
        rerun.set_time("time", duration=time)
        rerun.log("u", rerun.Tensor(np.array(row), dim_names=["x"]))
        rerun.log("largest", rerun.Scalars(float(np.abs(row).max())))
