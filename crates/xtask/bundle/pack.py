"""Packs files and folders of the working directory: `pack.py ARCHIVE NAME...`.

Nearly all of a bundle are programs that have most of their code in common, so the dictionary reaches back over many of
them, and jumps are made comparable (`FILTER_X86`): half of what `tarfile` by itself comes to. Any xz unpacks it.
"""

import lzma
import sys
import tarfile

DICTIONARY = 192 << 20

filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": DICTIONARY}]
archive, *names = sys.argv[1:]
with lzma.open(archive, "wb", filters=filters) as compressed, tarfile.open(fileobj=compressed, mode="w|") as tar:
    for name in names:
        tar.add(name)
