"""One process at a time makes an environment."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

from zerocts_environments import say, unavailable

LOCK_SECONDS = 30 * 60
NOTICE_SECONDS = 10


@contextlib.contextmanager
def locked(path, deadline_seconds=LOCK_SECONDS):
    """One process at a time; the kernel lets go of the lock when its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        start, notices = time.monotonic(), 0
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited, holder = time.monotonic() - start, holder_of(file)
                if waited > deadline_seconds:
                    raise unavailable(
                        f"waited {deadline_seconds} s for {holder}, which makes the same environment; end it and try "
                        f"again (it holds {path})"
                    ) from None
                if waited >= notices * NOTICE_SECONDS:
                    say(f"{holder} is making this environment: waiting for it, {waited:.0f} s of {deadline_seconds}")
                    notices += 1
                time.sleep(0.2)
        yield


def holder_of(file):
    """As the kernel knows it, whatever the holder is."""
    found = os.fstat(file.fileno())
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    with contextlib.suppress(OSError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            fields = line.split()  # 1: FLOCK ADVISORY WRITE 1234 fe:00:2588698 0 EOF
            if place in fields and "->" not in fields:
                return f"process {fields[4]}"
    return "another process"
