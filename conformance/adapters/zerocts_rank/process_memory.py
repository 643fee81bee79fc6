"""How much memory this process holds, alone or with its descendants, as the kernel counts it."""

import contextlib
import ctypes
import gc
import os
import pathlib
import re

PROCESSES = pathlib.Path("/proc")
OWN = PROCESSES / "self"
KIB = 1024
M_MMAP_THRESHOLD = -3  # of malloc.h

# Lines of smaps_rollup that are summed. Anonymous pages that a fork still shares count whole, so that writing to them
# changes nothing; shared memory counts for a process by its share in it.
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


def held_and_peak_bytes():
    """The proportional set size of this process, now and at most since the last call, as process_memory.hpp defines
    both.
    """
    held, status = _bytes_in(OWN / "smaps_rollup")["Pss"], _bytes_in(OWN / "status")
    peak = held + max(status["VmHWM"] - status["VmRSS"], 0)
    (OWN / "clear_refs").write_text("5", encoding="ascii")
    return held, peak


class _MallocInfo(ctypes.Structure):
    """struct mallinfo2 of malloc.h."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def heap_bytes():
    """In use in this process's heap; None where the C library does not tell."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return None
    mallinfo2.restype = _MallocInfo
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def _counted_of(process):
    with contextlib.suppress(OSError):  # it has just ended
        held = _bytes_in(PROCESSES / str(process) / "smaps_rollup")
        return sum(held.get(name, 0) for name in COUNTED)
    return 0


def _bytes_in(path):
    """By name, of all lines "Name:   123 kB"."""
    lines = re.findall(r"^(\w+):\s*(\d+) kB$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: int(kib) * KIB for name, kib in lines}
