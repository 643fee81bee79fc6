"""What the client offers to a subject: who it is, what the user asked for, and a meeting place of the ranks."""

import itertools

import numpy

from .subject import Refused


class Host:
    """set, get and barrier go through the conductor, under every launcher. They are for finding each other, and fast
    enough for examples.
    """

    def __init__(self, link, page, rank, world_size, options, run, deadline_s, ranks_in_process=1):
        self.rank, self.world_size, self.options, self.deadline_s = rank, world_size, options, deadline_s
        self.ranks_in_process = ranks_in_process  # as threads, where they are more than one
        self.notes = []
        self._link, self._page, self._run = link, page, run
        self._requests, self._meetings = itertools.count(1), itertools.count(1)
        self._engine = ""
        self.passed = [0, 0]  # bytes that were set, and got

    @property
    def ranks_are_threads(self):
        return self.ranks_in_process > 1

    def begin_engine(self):
        """From here on keys are those of another open in the same case."""
        self._engine += " of the next engine"

    def set(self, key, value):
        """Stores bytes for the ranks of this case; a key is set once after each open."""
        self.passed[0] += len(value)
        self.ask({"type": "set", "key": key + self._engine}, value)

    def get(self, key, size):
        """Waits for a key, whose value must have `size` bytes."""
        self.progress("get", key)
        value = self.ask(
            {"type": "get", "key": key + self._engine, "bytes": size, "deadline_ms": int(self.deadline_s * 1000)}
        )
        self.passed[1] += size
        return value

    def barrier(self):
        self.progress("barrier")
        self.ask({"type": "barrier", "deadline_ms": int(self.deadline_s * 1000)})

    def all_gather(self, array, numels):
        """[world_size] float32 arrays, rank r's of numels[r]. All ranks call it in the same order."""
        meeting = next(self._meetings)
        self.set(f"all_gather {meeting} of rank {self.rank}", numpy.ascontiguousarray(array, "<f4").tobytes())
        return [
            numpy.frombuffer(self.get(f"all_gather {meeting} of rank {rank}", 4 * int(numel)), "<f4")
            for rank, numel in enumerate(numels)
        ]

    def progress(self, operation, detail=""):
        """Says where this rank stands; shown when it hangs."""
        self._page.progress(operation, detail)

    def note(self, text):
        """For the reader of a report."""
        self.notes.append(text)

    def ask(self, header, *frames):
        """For the client itself."""
        request = next(self._requests)
        code, text, value = self._link.ask({**header, "run": self._run, "request": request}, *frames)
        if code:
            raise Refused(code, text)
        return value
