"""Processes of a trial and what they leave, as it is seen from outside."""

import contextlib
import os
import time
from pathlib import Path

GONE_AFTER = 20  # seconds, on a machine with other work, in which what was started must be gone
SHARED = Path("/dev/shm")


def marked(mark):
    """Processes, by pid, that this trial started."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            pass  # it has just ended, or is not ours
    return found


def ancestor(pid, who):
    """The shim or mpirun that this rank runs under."""
    words = [b""]
    while not is_it(who, words):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return pid


def is_it(who, words):
    if who == "shim":
        return words[1:2] == [b"worker"] and b"--" in words
    return Path(words[0].decode()).name in ("mpirun", "orterun", "prterun")


def readable(read, *paths):
    """What can be read of these; a process may have just ended, or be not ours."""
    for path in paths:
        with contextlib.suppress(OSError):
            yield read(path)


def shared_memory_in_use():
    """Files of shared memory that some process has open or mapped."""
    maps = "".join(readable(Path.read_text, *Path("/proc").glob("[0-9]*/maps")))
    mapped = {line.split()[-1] for line in maps.splitlines() if str(SHARED) in line}
    return {*map(Path, mapped), *readable(Path.readlink, *Path("/proc").glob("[0-9]*/fd/*"))}


def shared_memory():
    """Segments of ours: files, for a folder there is the place of some test."""
    owners = readable(lambda path: (path, path.stat().st_uid), *SHARED.iterdir())
    return {path for path, owner in owners if owner == os.getuid() and path.is_file()}


def left_in_shared_memory(before):
    """Segments that came since and that nobody holds: those of tests beside this one are held, or soon gone."""

    def kept():
        came = shared_memory() - before
        return came and came - shared_memory_in_use()

    waited_for(lambda: not kept(), GONE_AFTER)
    return sorted(map(str, kept()))


def waited_for(condition, seconds):
    until = time.monotonic() + seconds
    while not (outcome := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return outcome
