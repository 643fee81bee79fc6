"""What one rank showed in a case, and how that travels."""

import numpy


class _Numbers:
    """A list of numbers that leaves no objects, and for a thousand of them takes no more memory."""

    def __init__(self, dtype):
        self._room, self._count = numpy.empty(1024, dtype), 0

    def extend(self, numbers):
        end = self._count + len(numbers)
        if end > len(self._room):
            self._room = numpy.resize(self._room, 2 * end)
        self._room[self._count : end] = numbers
        self._count = end

    def all(self):
        return self._room[: self._count]


class Observation:
    def __init__(self, ranks_in_process=1):
        self._ranks_in_process = ranks_in_process
        self.owned = []  # [parameters] of [(begin, end)]
        self.bytes = None
        self.notes = []
        self.calls, self.memory_points = [], []  # of a Profile
        self.traffic = []  # of every step: its number and the twelve counts of a Traffic
        self.seen_traffic = []  # of every step: its number, and the bytes that were seen to leave and to come
        self.growth = {}  # fields of a MemoryGrowth
        self.resources, self.grown = [], []  # of Resources
        self.extra_calls = 0  # of the case, that were made
        self._what, self._records, self._values = [], [], []
        self._steps, self._scalars, self._losses = _Numbers("<i8"), _Numbers("<f4"), _Numbers("<f8")

    def add(self, step, what, p, begin, end, values):
        """`values` must be end - begin numbers; a wrong count is named."""
        flat = numpy.ascontiguousarray(values, "<f4").reshape(-1)
        if flat.size != end - begin:
            raise ValueError(f"{what} of parameter {p}: expected {end - begin} values, got {flat.size}")
        if what not in self._what:
            self._what.append(what)
        self._records += [step, self._what.index(what), p, begin, end]
        self._values.append(flat.tobytes())

    def add_step(self, step, result, losses):
        """`losses`: one per micro-batch of a model, none of given gradients."""
        self._losses.extend(losses)
        self._steps.extend([step])
        self._scalars.extend([result.grad_norm, result.clip_coefficient])

    def held_bytes(self):
        return sum(map(len, self._values))

    def message(self, run, rank):
        """(header, raw frames)"""
        held = (
            [0, 0, 0, 0]
            if self.bytes is None
            else [self.bytes.parameter, self.bytes.gradient, self.bytes.optimizer, self.bytes.buffer]
        )
        header = {
            "type": "observed",
            "run": run,
            "rank": rank,
            "input_hash": "",
            "what": self._what,
            "records": self._records,
            "held": [],
            "owned": [[bound for interval in intervals for bound in interval] for intervals in self.owned],
            "scalar_steps": self._steps.all().tolist(),
            "reported_bytes": held,
            "allocated_bytes": [0, 0, 0, 0],
            "process_heap_growth_bytes": 0,
            "ranks_in_process": self._ranks_in_process,
            "notes": self.notes,
            **self.growth,
        }
        for name in ("traffic", "seen_traffic", "calls", "memory_points", "resources", "grown", "extra_calls"):
            if getattr(self, name):
                header[name] = getattr(self, name)
        return header, [b"".join(self._values), self._scalars.all().tobytes(), self._losses.all().tobytes()]
