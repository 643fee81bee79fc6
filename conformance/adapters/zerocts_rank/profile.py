"""How long the calls of a subject took that do a step's work, and what it holds at points of the run."""

import contextlib
import time

from .process_memory import heap_bytes, held_and_peak_bytes


class Profile:
    """Does nothing unless the case observes it."""

    def __init__(self, observed, host):
        self.observed, self._host = observed, host
        self.calls, self.memory_points = [], []

    def align(self):
        """All ranks stand at the start line of a call."""
        if self.observed:
            self._host.barrier()

    @contextlib.contextmanager
    def timed(self, step, call, micro_batch=-1):
        if not self.observed:
            yield
            return
        cpu, begin = time.process_time_ns(), time.monotonic_ns()
        yield
        end = time.monotonic_ns()
        self.calls.append([step, call, micro_batch, begin, end, time.process_time_ns() - cpu])

    def note_point(self, point, memory):
        """`memory` tells what the subject says it holds."""
        if not self.observed:
            return
        reported = memory()
        self.align()
        held, peak = held_and_peak_bytes()
        told = {
            "point": point,
            "reported_bytes": [reported.parameter, reported.gradient, reported.optimizer, reported.buffer],
            "allocated_bytes": [0, 0, 0, 0],
            "held_bytes": held,
            "peak_bytes": peak,
        }
        heap = heap_bytes()
        self.memory_points.append(told if heap is None else told | {"heap_bytes": heap})
        self.align()
