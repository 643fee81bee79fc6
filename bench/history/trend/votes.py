"""Changes of a series: ours, and whether Apache Otava confirms them; of exact figures by ==."""

import dataclasses
import json
import subprocess
from pathlib import Path

import numpy

from tools import python_with

OTAVA, OURS, EXACT = "Otava", "segments", "=="
SAME_CHANGE = 2  # votes so many values apart, or fewer, are for one change
SAME_LEVEL = 0.001  # of a level: what differs by less may be printed with the same four digits
SURE, OTHER_SPREAD = 3, 1.5  # standard errors that make a change of level; a factor that makes one of spread
OTAVA_SECONDS = 600
ASK_OTAVA = Path(__file__).resolve().parent / "otava_change_points.py"


@dataclasses.dataclass
class Change:
    index: int  # of the first value after the change; of the first that drifts
    before: float  # fitted to the pieces around it; the ends of a drift; standard deviations of a spread
    after: float
    votes: tuple
    kind: str = "level"  # or "drift", or "spread"

    @property
    def exact(self):
        return self.votes == (EXACT,)

    @property
    def agreed(self):
        return self.exact or len(self.votes) > 1

    @property
    def ratio(self):
        """after / before; None where before is 0."""
        return self.after / self.before if self.before else None


def changes_of_exact(values, can_change=None):
    """A figure that must stay equal has changed wherever it differs from the one before."""
    pairs = enumerate(zip(values, values[1:]), 1)
    return [
        Change(index, before, after, (EXACT,))
        for index, (before, after) in pairs
        if before != after and (can_change is None or can_change[index])
    ]


def changes_of_noisy(pieces, otava):
    """`otava`: the indices for which Otava votes, or None where it was not asked. It confirms: what it alone names a
    change is noise more often than not (bench/results/change_points.md).
    """
    changes = []
    for before, piece in zip([None, *pieces], pieces):
        changes += [change for change in (cut_between(before, piece), drift_of(piece)) if change]
    for change in changes:
        if any(abs(change.index - index) <= SAME_CHANGE for index in otava or []):
            change.votes = (OTAVA, OURS)
    return changes


def cut_between(before, after):
    """None where the pieces, as printed, are at one height and spread alike."""
    if before is None:
        return None
    if differ(before.last, after.first) and abs(after.first - before.last) > SURE * numpy.hypot(
        *map(error, (before, after))
    ):
        return Change(after.begin, before.last, after.first, (OURS,))
    spreads = sorted((before.spread, after.spread))
    if before.drifts or after.drifts or spreads[1] < OTHER_SPREAD * spreads[0]:
        return None
    return Change(after.begin, before.spread, after.spread, (OURS,), "spread")


def error(piece):
    """The standard error of its height where it meets the next one."""
    return piece.spread * (2 if piece.drifts else 1) / numpy.sqrt(piece.end - piece.begin)


def drift_of(piece):
    if piece.drifts and differ(piece.first, piece.last):
        return Change(piece.begin, piece.first, piece.last, (OURS,), "drift")
    return None


def differ(before, after):
    return abs(after - before) > SAME_LEVEL * max(abs(before), abs(after))


def ask_otava(all_values):
    """Otava's change points of each list of values. Raises tools.Unavailable, or subprocess.SubprocessError."""
    command = [python_with("apache-otava"), ASK_OTAVA]
    asked = subprocess.run(
        command, input=json.dumps(all_values), capture_output=True, text=True, timeout=OTAVA_SECONDS, check=True
    )
    return json.loads(asked.stdout)
