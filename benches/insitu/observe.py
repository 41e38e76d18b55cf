"""Copies the field of every step into a CuPy array, fed in batches because it only observes."""

import os

import cupy

history = None
count = 0


def start(run):
    global history, count
    # One row more than the quotient: the time is summed up, and rounding may cost a step.
    history = cupy.empty((int(run.final_time / run.dt) + 2, run.points + 2))
    count = 0


def observe(batch):
    global count
    rows = batch.u.array()
    history[count : count + len(rows)] = rows
    count += len(rows)


def finish(run):
    history[:count].get().tofile(os.path.join(run.output_dir, "history"))
