"""Processes of a trial, as they are seen from outside."""

import time
from pathlib import Path


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


def waited_for(condition, seconds):
    until = time.monotonic() + seconds
    while not (outcome := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return outcome
