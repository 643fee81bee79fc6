"""One process at a time makes an environment."""

import contextlib
import fcntl
import os
import time

from zerocts_environments import say, unavailable

LOCK_SECONDS = 30 * 60


@contextlib.contextmanager
def locked(path, deadline_seconds=LOCK_SECONDS):
    """One process at a time; the kernel lets go of the lock when its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        until, told = time.monotonic() + deadline_seconds, False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "another one"
                if time.monotonic() > until:
                    raise unavailable(
                        f"waited {deadline_seconds} s for process {holder}, which makes the same environment; "
                        "end it and try again"
                    ) from None
                if not told:
                    say(f"process {holder} is making this environment; waiting for it")
                    told = True
                time.sleep(0.2)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield
