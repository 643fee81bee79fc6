"""What the kernel counts for the processes of a rank, seen from outside of the subject: by the definitions of
counted_memory.hpp.
"""

import contextlib
import gc
import os
import pathlib
import re
import stat

from . import variables
from .process_memory import C_LIBRARY

PROCESSES = pathlib.Path("/proc")
KIB = 1024
BLOCK_BYTES = 512  # of st_blocks
M_MMAP_THRESHOLD = -3  # of malloc.h
PR_SET_CHILD_SUBREAPER = 36  # of prctl.h
MAPPING = re.compile(r"(\w+)-(\w+) ...(.) \S+ \S+ (\d+)")
OF_PRIVATE, OF_SHARED = (
    re.compile(rf"(?:{name}|Swap|Private_Hugetlb|Shared_Hugetlb):\s*(\d+) kB") for name in ("Anonymous", "Pss")
)


def keep_descendants():
    """Processes that lose their parent stay this rank's: its shim gets them, or else this process."""
    if not _parent_is_shim():
        C_LIBRARY.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Look:
    """`held` bytes; bytes that were written to files and read from them `before` this look and up to its end `after`
    it; `unread`: what the kernel does not show.
    """

    def __init__(self, carried):
        """`carried`: bytes that were sent and received on connections, which are no files."""
        gc.collect()
        with contextlib.suppress(AttributeError):  # of a C library without them
            C_LIBRARY.mallopt(M_MMAP_THRESHOLD, 128 * KIB)
            C_LIBRARY.malloc_trim(0)
        self.unread = set()
        self._in_memory = _devices_in_memory()
        processes = [PROCESSES / str(process) for process in _processes_of_rank()]
        self.before = self._moved(processes, carried)
        self.held = sum(map(self._held, processes))
        self.after = self._moved(processes, carried)

    @contextlib.contextmanager
    def _reading(self, process, name):
        try:
            yield
        except PermissionError:
            with contextlib.suppress(OSError):
                if _stat_of(process)[0] not in "ZX":  # what has ended is root's
                    self.unread.add(f"/proc/PID/{name}")
        except OSError:
            pass  # it has just ended

    def _moved(self, processes, carried):
        written, read = (-count for count in carried)
        for process in processes:
            with self._reading(process, "io"):
                counts = dict(line.split(": ") for line in (process / "io").read_text(encoding="ascii").splitlines())
                written += max(int(counts["wchar"]), int(counts["write_bytes"]))
                read += int(counts["rchar"])
        return written, read

    def _held(self, process):
        held, mapped = 0, {}
        with self._reading(process, "smaps"):
            held = _mapped_bytes((process / "smaps").read_text(encoding="utf-8", errors="replace"), mapped)
        with self._reading(process, "fd"):
            held += _open_file_bytes(process / "fd", mapped, self._in_memory)
        return held


def _mapped_bytes(smaps, files):
    """Adds to `files` how much of each inode is mapped."""
    held, counted = 0, OF_PRIVATE
    for line in smaps.splitlines():
        if line[0].isupper():
            if found := counted.match(line):
                held += int(found[1]) * KIB
        elif found := MAPPING.match(line):
            begin, end, sharing, inode = found.groups()
            counted = OF_SHARED if sharing == "s" else OF_PRIVATE
            if sharing == "s":
                files[int(inode)] = files.get(int(inode), 0) + int(end, 16) - int(begin, 16)
    return held


def _open_file_bytes(folder, mapped, in_memory):
    """Counts what is not mapped of files that no path names any more, or that lie on one of these devices."""
    files = {}
    for descriptor in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            file = descriptor.stat()
            if stat.S_ISREG(file.st_mode) and (file.st_nlink == 0 or file.st_dev in in_memory):
                files[file.st_ino] = max(file.st_blocks * BLOCK_BYTES - mapped.get(file.st_ino, 0), 0)
    return sum(files.values())


def _devices_in_memory():
    """File systems that lie in memory."""
    devices = set()
    for line in pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        if " - tmpfs " in line:
            devices.add(os.makedev(*map(int, line.split()[2].split(":"))))
    return devices


def _processes_of_rank():
    """This one and all that descend from it, or from its shim, which inherits what was forked twice."""
    children = {}
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            parent = int(_stat_of(folder)[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, waiting = set(), [os.getppid() if _parent_is_shim() else os.getpid()]
    while waiting:
        found.add(waiting[-1])
        waiting += children.get(waiting.pop(), [])
    return found - ({os.getppid()} if _parent_is_shim() else set())


def _stat_of(process):
    """State, parent and more; the name before them may hold anything."""
    return (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _parent_is_shim():
    return variables.taken.get("ZEROCTS_SHIM_PID") == str(os.getppid())
