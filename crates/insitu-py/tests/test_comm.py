"""Programs on several ranks: the same bits on any number of them, and an end for all where one fails."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

import ferrocca
import numpy as np
import pytest
from conftest import promised
from ferrocca import comm as ranks

KERNELS = """
@kernel void heat(const int rows, const int columns, const double c, @dim(columns + 4, rows + 4) const double *u,
                  @dim(columns + 4, rows + 4) double *v) {
  for (int j = 2; j < rows + 2; ++j; @outer) for (int i = 2; i < columns + 2; ++i; @tile(16, @outer, @inner))
    v(i, j) = u(i, j) + c * ((u(i - 2, j - 2) + u(i + 1, j)) + (u(i, j + 2) + u(i + 2, j - 1)) - 4 * u(i, j));
}
"""


def heat(comm, mode="Serial", shape=(23, 17), steps=7):
    """The field after some steps, on rank 0, and its sum."""
    device = comm.open_device(mode)
    grid = comm.grid(shape, halo=2, periodic=True)
    step = device.build_kernel_from_string(KERNELS, "heat")
    u, v = device.malloc(grid.local_shape), device.malloc(grid.local_shape)
    start = np.sin(np.arange(float(np.prod(shape)))).reshape(shape) if comm.rank == 0 else None
    grid.scatter(start, u)
    grid.exchange(u)
    with device.record() as graph:
        step(*grid.extents, 0.1, u, v)
        grid.exchange(v)
        graph.rotate(u, v)
    u, v = graph.replay(steps)
    # One more, by hand.
    step(*grid.extents, 0.1, u, v)
    return grid.gather(v), grid.reduce(v), grid.reduce(v, "max")


def test_one_rank_is_numpy(opened):
    field, total, most = heat(ranks.alone())
    u = np.sin(np.arange(23.0 * 17)).reshape(23, 17)
    for _ in range(8):
        at = lambda i, j: np.roll(u, (-j, -i), (0, 1))  # noqa: E731
        u = u + 0.1 * ((at(-2, -2) + at(1, 0)) + (at(0, 2) + at(2, -1)) - 4 * u)
    assert (field == u).all() and most == u.max() and abs(total - u.sum()) < 1e-12


def start(path, size, **variables):
    """Starts a script as so many ranks, as torchrun does, and waits for their ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    environment = dict(os.environ, WORLD_SIZE=str(size), FERROCCA_COMM_ADDRESS=address, FERROCCA_COMM_LIMIT="60", **variables)
    command = [sys.executable, str(path)]
    processes = [
        subprocess.Popen(command, env=dict(environment, RANK=str(rank)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(size)
    ]
    return [(process.communicate(timeout=120), process.returncode) for process in processes]


def test_ranks_of_a_launcher_need_no_mpi(tmp_path, opened):
    script = tmp_path / "program.py"
    tests = pathlib.Path(__file__).parent
    script.write_text(f"""
import sys
sys.path.insert(0, {str(tests)!r})
import ferrocca, numpy
from test_comm import heat
with ferrocca.comm.from_environment() as comm:
    field, total, most = heat(comm)
    if comm.rank == 0:
        numpy.save({str(tmp_path / "field.npy")!r}, field)
        print(comm, total.hex(), float(most).hex())
    if "FAILS" in __import__("os").environ and comm.rank == 1:
        raise ValueError("the disk is full")
    comm.barrier()
""")
    ends = start(script, 3)
    assert all(code == 0 for _, code in ends), ends
    field, total, most = heat(ranks.alone())
    assert ends[0][0][0] == f"ferrocca.comm.Comm(rank 0 of 3) {total.hex()} {float(most).hex()}\n"
    assert (np.load(tmp_path / "field.npy") == field).all()
    ends = start(script, 3, FAILS="1")
    assert all(code != 0 for _, code in ends), ends
    assert "rank 1 failed" in ends[0][0][1] and "the disk is full" in ends[2][0][1], ends
    assert ranks.from_environment().size == 1


@pytest.fixture
def mpirun(tmp_path):
    """Runs a script on so many ranks."""
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "mpi4py"):
            pytest.fail("mpi4py was promised")
        pytest.skip("mpi4py is not installed")
    program = shutil.which("mpirun")
    if program is None:
        if promised("FERROCCA_REQUIRE_LIBRARIES", "mpi4py"):
            pytest.fail("there is no mpirun for mpi4py")
        pytest.skip("there is no mpirun")

    def run(count, text):
        script = tmp_path / "ranks.py"
        script.write_text("import sys, time, numpy as np, ferrocca, test_comm\nfrom mpi4py import MPI\nfrom ferrocca import comm as ranks\n" + text)
        paths = [str(pathlib.Path(__file__).parent), str(pathlib.Path(ferrocca.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMPI_MCA_rmaps_base_oversubscribe": "1",
                                    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = [program, "-n", str(count), sys.executable, str(script), str(tmp_path)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    return run


def test_any_number_of_ranks_has_the_bits_of_one(mpirun, tmp_path):
    alone = heat(ranks.alone())
    for count in 1, 2, 3, 4:
        run = mpirun(count, """
with ranks.from_mpi4py(MPI.COMM_WORLD) as comm:
    assert (comm.rank, comm.size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
    assert comm.all_reduce(comm.rank + 1.0) == comm.size * (comm.size + 1) / 2
    assert comm.all_reduce([-comm.rank, 3.0], "min") == [1.0 - comm.size, 3.0]
    field, total, most = test_comm.heat(comm)
    assert (field is None) == (comm.rank > 0)
    if comm.rank == 0:
        np.savez(sys.argv[1] + "/made.npz", field=field, total=total, most=most)
    else:
        print("total", total.hex())
""")
        assert run.returncode == 0, run.stdout + run.stderr
        made = np.load(tmp_path / "made.npz")
        assert (made["field"] == alone[0]).all() and made["total"] == alone[1] and made["most"] == alone[2], count
        # Lines of several ranks may run into each other.
        assert run.stdout.count(alone[1].hex()) == count - 1, run.stdout


def test_fields_on_faces_pieces_of_messages_and_unlike_grids(mpirun):
    run = mpirun(2, """
ranks._Mpi4py.PIECE = 100
with ranks.from_mpi4py(MPI.COMM_WORLD) as comm:
    device, grid = comm.open_device("Serial"), comm.grid([40, 6], halo=1)
    shape = [grid.local_shape[0] + 1, grid.local_shape[1]]
    faces = device.malloc(shape, "float32")
    whole = np.arange(41 * 6, dtype="f4").reshape(41, 6)
    grid.scatter(whole if comm.rank == 0 else None, faces)
    grid.exchange(faces)
    inner = faces.get()[1:-1, 1:-1]
    ghost = faces.get()[-1 if comm.rank == 0 else 0, 1:-1]
    assert (inner == whole[grid.start[0]:][:grid.extents[0] + 1]).all()
    assert (ghost == whole[21 if comm.rank == 0 else 19]).all(), (comm.rank, ghost)
    back = grid.gather(faces)
    assert comm.rank > 0 or (back == whole).all()
    assert "in place" in str(grid.plan(faces)) and grid.plan(faces).messages_sent == 1
    assert (grid.coordinates(0, 0.5)[1:-1] == 0.5 * np.arange(20) + 10 * comm.rank).all()
    assert (grid.owns(grid.start[0], 0), grid.owns(39 - 39 * comm.rank, 0)) == (9, None)
    unlike = comm.grid([40 + comm.rank], halo=1)
    for grid, shape in (unlike, unlike.local_shape), (comm.grid([40]), 22 + 9 * comm.rank):
        try:
            grid.exchange(device.malloc(shape))
        except ferrocca.Error as error:
            print(error)
""")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.count("grid of [40]") == 2 and run.stdout.count("grid of [41]") == 2, run.stdout
    assert run.stdout.count("memory of shape [31] is no field of this grid") == 2, run.stdout


def test_an_exception_on_one_rank_ends_all(mpirun):
    start = time.perf_counter()
    run = mpirun(3, """
with ranks.from_mpi4py(MPI.COMM_WORLD) as comm:
    if comm.rank == 1:
        raise ValueError("the disk is full")
    comm.barrier()
    comm.all_reduce(1.0)
""")
    assert run.returncode != 0 and "ValueError: the disk is full" in run.stderr and "error on rank 1 of 3" in run.stderr, run.stderr
    assert time.perf_counter() - start < 60


def test_a_rank_that_hangs_is_told_by_the_others(mpirun):
    run = mpirun(2, """
with ranks.from_mpi4py(MPI.COMM_WORLD) as comm:
    comm.limit = 0.5
    assert comm.limit == 0.5
    if comm.rank == 0:
        comm.barrier()
    time.sleep(60)
""")
    assert run.returncode != 0 and "rank 0 waited " in run.stderr and "of rank 1" in run.stderr, run.stderr


def test_what_is_no_communicator_is_refused(mpirun):
    run = mpirun(1, """
for wrong in (3, MPI.COMM_NULL):
    try:
        ranks.from_mpi4py(wrong)
    except ferrocca.Error as error:
        print(type(error).__name__, error)
""")
    assert run.returncode == 0, run.stderr
    assert "WrongTypeError a communicator of mpi4py is expected" in run.stdout and "WrongValueError this communicator is `MPI.COMM_NULL`" in run.stdout


def test_wrong_fields_and_words_are_refused(opened):
    comm = ranks.alone()
    device, grid = opened("mode=Serial"), comm.grid((8, 8))
    with pytest.raises(ferrocca.WrongValueError, match=r"\[3, 3\] is no field of this grid, whose part here has the shape \[10, 10\]"):
        grid.exchange(device.malloc((3, 3)))
    with pytest.raises(ferrocca.WrongTypeError, match="is `ferrocca.Memory`, not `ndarray`"):
        grid.exchange(np.zeros((10, 10)))
    with pytest.raises(ferrocca.WrongTypeError, match="no fields"):
        grid.exchange()
    with pytest.raises(ferrocca.WrongValueError, match="axis 2 of a grid of 2 axes"):
        grid.global_index(2, 0)
    with pytest.raises(ferrocca.WrongValueError, match="`mean` is none of"):
        grid.reduce(device.malloc((10, 10)), "mean")
    with pytest.raises(ferrocca.WrongValueError, match="a halo of 9 is wider"):
        comm.grid((8, 8), halo=9, periodic=True)
    with pytest.raises(ferrocca.OutOfBoundsError, match="the grid has 64 values, 10 were given"):
        grid.scatter(np.zeros(10), device.malloc((10, 10)))
    with pytest.raises(ferrocca.WrongTypeError, match="no reduction over ranks of"):
        grid.reduce(device.malloc((10, 10), "uint8"))
    with comm:
        assert comm.all_reduce(2.0) == 2.0 and repr(comm) == "ferrocca.comm.Comm(rank 0 of 1)"


def test_nccl_is_found_among_packages(tmp_path, monkeypatch):
    from ferrocca import _packages

    library = tmp_path / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    library.parent.mkdir(parents=True)
    library.touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name == "nvidia" or name.startswith("nvidia.")]:
        monkeypatch.delitem(sys.modules, name)
    assert _packages.nccl() == str(library)
    library.unlink()
    assert _packages.nccl() != str(library)
