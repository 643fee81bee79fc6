"""How much memory this process and its descendants hold, as the kernel counts it, whatever the subject says."""

import contextlib
import ctypes
import gc
import os
import pathlib

PROCESSES = pathlib.Path("/proc")
KIB = 1024
M_MMAP_THRESHOLD = -3  # of malloc.h

# Of smaps_rollup. Anonymous pages that a fork still shares count whole, so that writing to them changes nothing; shared
# memory counts for a process by its share in it.
COUNTED = ("Anonymous", "Pss_Shmem", "Swap")


def held_bytes():
    """Anonymous and shared memory, after what was freed was given back. From the first call on, large blocks are mapped
    alone, so that none stays behind in a heap with holes.
    """
    gc.collect()
    with contextlib.suppress(AttributeError):  # of a C library without them
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 128 * KIB)
        ctypes.CDLL(None).malloc_trim(0)
    return sum(map(_counted_of, _with_descendants(os.getpid())))


def _with_descendants(root):
    children = {}
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def _counted_of(process):
    with contextlib.suppress(OSError):  # it has just ended
        lines = (PROCESSES / str(process) / "smaps_rollup").read_text().splitlines()[1:]
        fields = {name: value for name, value in (line.split(":") for line in lines)}
        return sum(int(fields[name].split()[0]) for name in COUNTED if name in fields) * KIB
    return 0
