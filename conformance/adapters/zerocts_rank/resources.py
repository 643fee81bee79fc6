"""What each call of the subject costs, and what it leaves behind, seen from outside of it."""

import collections
import contextlib
import gc
import os
import resource
import sys
import time

import numpy

from .process_memory import heap_bytes

CALLS = ("accumulate", "forward_backward", "step")
NOT_READ = -1
MOST_GROWN = 5


def first_steady_step(steps):
    """As FirstSteadyStep of observation.hpp."""
    return max(steps // 4, 10)


class Resources:
    """Does nothing unless the case observes it. What it notes takes its memory before the first call."""

    def __init__(self, case):
        self._observed, self._steps = case.observes("resources"), case.steps
        calls = case.steps * (case.micro_batches + 1) if self._observed else 0
        self._counts, self._noted = numpy.full((calls, 8), NOT_READ), 0
        self._objects = _objects_by_kind() if self._observed else None
        self.grown = []

    @contextlib.contextmanager
    def after(self, step, call):
        if not self._observed:
            yield
            return
        begin = time.process_time_ns()
        yield
        cpu = time.process_time_ns() - begin
        gc.collect()  # what waits for it is no growth
        counts = sys.getallocatedblocks(), _heap_bytes(), _mapped_bytes(), *_of_process()
        self._counts[self._noted] = step, CALLS.index(call), cpu, *counts
        self._noted += 1
        if call == "step":
            self._note_objects(step)

    def rows(self):
        """As the protocol has them: of the host's alloc there is nothing here."""
        return [
            [step, CALLS[call], cpu, NOT_READ, NOT_READ, *counts]
            for step, call, cpu, *counts in self._counts[: self._noted].tolist()
        ]

    def _note_objects(self, step):
        first, last = first_steady_step(self._steps), self._steps - 1
        if first < last and step == first:
            self._objects = _objects_by_kind()
        elif first < last and step == last:
            more = _objects_by_kind() - self._objects
            self.grown = [[name, size, count] for (name, size), count in more.most_common(MOST_GROWN)]


def _objects_by_kind():
    """How many there are that the garbage collector knows, by their type and bytes."""
    return collections.Counter((type(thing).__qualname__, _bytes_of(thing)) for thing in gc.get_objects())


def _bytes_of(thing):
    if type(thing).__module__.startswith("torch") and hasattr(type(thing), "nbytes"):  # of a tensor
        with contextlib.suppress(Exception):  # which may be of a kind that has no storage
            return int(thing.nbytes)
    return sys.getsizeof(thing, 0)


def _of_process():
    return _entries("/proc/self/fd", 1), _entries("/proc/self/task", 0)


def _entries(folder, own):
    try:
        return len(os.listdir(folder)) - own
    except OSError:
        return NOT_READ


def _heap_bytes():
    size = heap_bytes()
    return NOT_READ if size is None else size


def _mapped_bytes():
    try:
        statm = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return NOT_READ
    try:
        return int(os.read(statm, 100).split()[0]) * resource.getpagesize()
    finally:
        os.close(statm)
