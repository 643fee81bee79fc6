"""How long the calls of a subject took that do a step's work, and what it holds at points of the first step."""

import contextlib
import re
import time

STATUS, ROLLUP, CLEAR_REFS = "/proc/self/status", "/proc/self/smaps_rollup", "/proc/self/clear_refs"


def _bytes_in(path, name):
    with open(path, encoding="ascii") as file:
        return 1024 * int(re.search(rf"^{name}:\s*(\d+) kB", file.read(), re.MULTILINE).group(1))


def held_and_peak_bytes():
    """The proportional set size of this process, now and at most since the last call, as process_memory.hpp defines
    both.
    """
    held = _bytes_in(ROLLUP, "Pss")
    peak = held + max(_bytes_in(STATUS, "VmHWM") - _bytes_in(STATUS, "VmRSS"), 0)
    with open(CLEAR_REFS, "w", encoding="ascii") as file:
        file.write("5")
    return held, peak


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
        cpu, begin = time.process_time_ns(), time.monotonic_ns()
        yield
        end = time.monotonic_ns()
        if self.observed:
            self.calls.append([step, call, micro_batch, begin, end, time.process_time_ns() - cpu])

    def note_point(self, point, step, memory):
        """`memory` tells what the subject says it holds."""
        if not self.observed or step > 0:
            return
        reported = memory()
        self.align()
        held, peak = held_and_peak_bytes()
        self.memory_points.append(
            {
                "point": point,
                "reported_bytes": [reported.parameter, reported.gradient, reported.optimizer, reported.buffer],
                "allocated_bytes": [0, 0, 0, 0],
                "held_bytes": held,
                "peak_bytes": peak,
            }
        )
        self.align()
