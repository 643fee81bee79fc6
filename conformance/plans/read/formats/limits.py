"""What this process may take and do, whatever a file makes it try."""

import contextlib
import os
import resource
import sys

from reading import Refused

DATA_BYTES, SECONDS, PICKLE_SECONDS = 200 << 20, 600, 10
HARMLESS = {"open", "os.listdir", "os.scandir", "resource.setrlimit", "object.__getattr__"}


def _limit(limit, most):
    hard = resource.getrlimit(limit)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (most, most))


def confine():
    """The kernel refuses more memory, ends who takes more of the processor's time, and leaves no core."""
    _limit(resource.RLIMIT_DATA, DATA_BYTES)
    _limit(resource.RLIMIT_CPU, SECONDS)
    _limit(resource.RLIMIT_CORE, 0)


@contextlib.contextmanager
def time_of_a_pickle():
    """A share of the time on the processor: one with keys of one hash would take all of it."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(sum(os.times()[:2])) + 1 + PICKLE_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))


def only_read():
    """From now on Python refuses to import, compile, start, connect or write; no file can grow."""
    _limit(resource.RLIMIT_FSIZE, 0)

    def judge(event, arguments):
        writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if event not in HARMLESS or writes:
            raise Refused(f"it makes its reader try {event}: refused")

    sys.addaudithook(judge)
