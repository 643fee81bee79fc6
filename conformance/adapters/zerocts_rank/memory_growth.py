"""How much the memory of a rank grew since before its first case, as memory_meter.hpp sees it."""

from .counted_memory import Look


class MemoryGrowth:
    """One per process."""

    def __init__(self, carried):
        self._carried = carried
        self._first = self._left = None

    def begin(self, ours):
        """Before open. The first call is what all growth is measured from: what an earlier case left behind counts
        while it is held. `ours`: bytes that are none of the subject's.
        """
        self._last = Look(self._carried.total())
        held = self._last.held - ours
        if self._first is None:
            self._first = held
        elif self._left is None:
            self._left = max(held - self._first, 0)
        self._most = 0  # what open replaces of an earlier case is no growth
        self._written = self._read = 0
        self._unread = self._last.unread

    def look(self, ours):
        now = Look(self._carried.total())
        self._most = max(self._most, now.held - ours - self._first)
        self._written += now.before[0] - self._last.after[0]
        self._read += now.before[1] - self._last.after[1]
        self._unread |= now.unread
        self._last = now

    def fields(self, steps):
        """What the looks since begin saw, for the message that shows the case."""
        return {
            "process_growth_bytes": self._most,
            "process_left_bytes": self._left or 0,
            "process_file_bytes": max(self._written, self._read, 0) // steps,
            "unread": sorted(self._unread),
        }
