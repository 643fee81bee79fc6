"""Ranks as threads of one process: each has a subject, a connection and a page of its own."""

import contextlib
import copy
import os
import resource
import sys
import threading
import time
import traceback

import zmq

FILES_OF_PROGRAM, FILES_OF_RANK = 256, 8
SOCKETS_OF_PROGRAM = 16
FAILED = 1
SECONDS_TO_BE_HEARD = 1  # by the conductor


class Turn:
    """One rank runs at a time, until it waits: threads that compete for the interpreter cost more than they gain. If
    the process ends, the rank that had the turn has ended it, as its page says.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._mine = threading.local()

    def show_on(self, page):
        """This thread's rank has this page."""
        self._mine.page = page
        self._show()

    @contextlib.contextmanager
    def held(self):
        self._take()
        try:
            yield
        finally:
            self._give()

    @contextlib.contextmanager
    def given_away(self):
        """While this thread waits. A thread that has none waits as it is."""
        if not self._is_mine():
            yield
            return
        self._give()
        try:
            yield
        finally:
            self._take()

    def _is_mine(self):
        return getattr(self._mine, "held", False)

    def _take(self):
        self._lock.acquire()
        self._mine.held = True
        self._show()

    def _give(self):
        self._mine.held = False
        self._show()
        self._lock.release()

    def _show(self):
        if page := getattr(self._mine, "page", None):
            page.mark_as_ending(self._is_mine())


TURN = Turn()


def run(subject, ranks, context, serve):
    """Returns when each rank was told to stop. `serve(subject, rank)`: the life of one."""
    raise_limit_of_files(FILES_OF_PROGRAM + FILES_OF_RANK * ranks)
    context.set(zmq.MAX_SOCKETS, ranks + SOCKETS_OF_PROGRAM)
    subjects = [copy.deepcopy(subject) for _ in range(ranks)]
    threads = [
        threading.Thread(target=serve_or_end, args=(serve, *named), name=f"rank {named[1]}")
        for named in zip(subjects, range(ranks))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def serve_or_end(serve, subject, rank):
    """A rank that fails takes the process along, as it would its own."""
    try:
        with TURN.held():
            serve(subject, rank)
    except BaseException:  # noqa: BLE001  an exit too
        traceback.print_exc()
        sys.stderr.flush()
        time.sleep(SECONDS_TO_BE_HEARD)
        os._exit(FAILED)


def raise_limit_of_files(wanted):
    """As far as this user may; who runs out of them says so himself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
