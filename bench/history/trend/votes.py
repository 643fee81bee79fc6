"""Change points of a series by two votes, Apache Otava's and ours; of exact figures by ==."""

import dataclasses
import json
import statistics
import subprocess
from pathlib import Path

from tools import python_with
from trend import segmentation

OTAVA, OURS, EXACT = "Otava", "segments", "=="
SAME_CHANGE = 2  # votes so many values apart, or fewer, are for one change
OTAVA_SECONDS = 600
ASK_OTAVA = Path(__file__).resolve().parent / "otava_change_points.py"


@dataclasses.dataclass
class Change:
    index: int  # of the first value after the change
    before: float  # medians of the pieces around it
    after: float
    votes: tuple

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


def changes_of_exact(values):
    """A figure that must stay equal has changed wherever it differs from the one before."""
    pairs = enumerate(zip(values, values[1:]), 1)
    return [Change(index, before, after, (EXACT,)) for index, (before, after) in pairs if before != after]


def changes_of_noisy(values, otava):
    """`otava`: the indices for which Otava votes, or None where it was not asked."""
    votes = {index: {OURS} for index in segmentation.change_points(values)}
    for index in otava or []:
        near = [ours for ours in votes if OURS in votes[ours] and abs(ours - index) <= SAME_CHANGE]
        nearest = min(near, key=lambda ours: abs(ours - index), default=index)
        votes.setdefault(nearest, set()).add(OTAVA)
    if not votes:
        return []
    indices = sorted(votes)
    ends = [0, *indices, len(values)]
    medians = [statistics.median(values[begin:end]) for begin, end in zip(ends, ends[1:])]
    around = zip(indices, medians, medians[1:])
    return [Change(index, before, after, tuple(sorted(votes[index]))) for index, before, after in around]


def ask_otava(all_values):
    """Otava's change points of each list of values. Raises tools.Unavailable, or subprocess.SubprocessError."""
    command = [python_with("apache-otava"), ASK_OTAVA]
    asked = subprocess.run(
        command, input=json.dumps(all_values), capture_output=True, text=True, timeout=OTAVA_SECONDS, check=True
    )
    return json.loads(asked.stdout)
