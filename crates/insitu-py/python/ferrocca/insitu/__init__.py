"""What to do with a running solver: hooks for ``solver.run(hook)`` and for in-situ scripts.

- :class:`POD`, :class:`DMD`: decompositions with bounded memory; :class:`StreamingSVD` and :func:`randomized_svd` beneath;
- :func:`on`: a hook for some moments; :func:`compose`: several hooks; :func:`beside`: a hook in a thread;
- :func:`logged`, :func:`replayed`: runs that are repeated to the same bits;
- :class:`HDF5`, :class:`NetCDF`, :class:`Zarr`, :class:`VTK`: frames into files; :class:`Pictures`: pictures at the end;
- :class:`Live`: a page on this machine that shows the run and steers it;
- :class:`Pull`: data from the network into the run;
- :func:`legacy`: modules written for OCCA's mini-application;
- :func:`values`, :func:`namespace`, :func:`interior`, :func:`to_numpy`, :func:`write_atomically`: for hooks of your own.

A script uses them as ``start, observe, finish = POD().start, ...``, or hands over all at once: ``hook = POD(rank=20)``.
"""

from ._arrays import interior, namespace, to_numpy, values
from ._async import beside
from ._atomic import write_atomically
from ._files import HDF5, VTK, NetCDF, Zarr
from ._legacy import DeviceArray, legacy
from ._live import Live
from ._log import logged, replayed
from ._network import Pull
from ._pictures import Pictures
from ._schedule import compose, on
from ._svd import DMD, POD, StreamingSVD, randomized_svd

__all__ = [
    "DMD",
    "HDF5",
    "POD",
    "VTK",
    "DeviceArray",
    "Live",
    "NetCDF",
    "Pictures",
    "Pull",
    "StreamingSVD",
    "Zarr",
    "beside",
    "compose",
    "interior",
    "legacy",
    "logged",
    "namespace",
    "on",
    "randomized_svd",
    "replayed",
    "to_numpy",
    "values",
    "write_atomically",
]
