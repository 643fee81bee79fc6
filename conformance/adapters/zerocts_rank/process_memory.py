"""How much memory this process holds, as the kernel counts it."""

import ctypes
import pathlib
import re

OWN = pathlib.Path("/proc/self")
C_LIBRARY = ctypes.CDLL(None)  # once: each load of a library leaves objects behind
KIB = 1024


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
    if not hasattr(C_LIBRARY, "mallinfo2"):
        return None
    C_LIBRARY.mallinfo2.restype = _MallocInfo
    info = C_LIBRARY.mallinfo2()
    return info.uordblks + info.hblkhd


def _bytes_in(path):
    """By name, of all lines "Name:   123 kB"."""
    lines = re.findall(r"^(\w+):\s*(\d+) kB$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: int(kib) * KIB for name, kib in lines}
