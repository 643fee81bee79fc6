"""A series with its changes, as the page shows it."""

import dataclasses

from trend.segmentation import Piece, pieces_of
from trend.votes import changes_of_exact, changes_of_noisy


@dataclasses.dataclass
class History:
    series: object
    indices: list  # in series.records, of what is compared: neither failed nor oversubscribed
    pieces: list  # levels and drifts; their indices are those of `values`
    changes: list  # as well

    @property
    def values(self):
        return [self.series.records[index]["value"] for index in self.indices]

    @property
    def key(self):
        return (self.series.name, self.series.machine)

    def verdict_on(self, change):
        """worse, better, or changed where no direction is the good one."""
        if self.series.direction == "equal":
            return "worse"
        if change.kind == "spread":
            return "changed"
        grew = change.after > change.before
        return "worse" if grew == (self.series.direction == "smaller") else "better"

    def commit_of(self, change):
        return self.series.records[self.indices[change.index]]["commit"]


def compared_indices(series):
    return [
        index for index, record in enumerate(series.records) if record["error"] is None and not record["oversubscribed"]
    ]


def values_of(series):
    return [series.records[index]["value"] for index in compared_indices(series)]


def history_of(series, otava):
    """`otava`: the indices in values_of(series) for which Otava votes, or None where it was not asked."""
    values, indices = values_of(series), compared_indices(series)
    can_change = begins_of_builds([series.records[index]["commit"] for index in indices])
    if series.direction != "equal":
        pieces = pieces_of(values, can_change)
        return History(series, indices, pieces, changes_of_noisy(pieces, otava))
    changes = changes_of_exact(values, can_change)
    return History(series, indices, levels_between(changes, values), changes)


def begins_of_builds(commits):
    """For each run, whether its build may differ from that of the run before: no two runs of one build differ by it."""
    pairs = zip([None, *commits], commits)
    return [now is None or now["dirty"] or before is None or now != before for before, now in pairs]


def levels_between(changes, values):
    ends = sorted({0, *(change.index for change in changes), len(values)})
    return [Piece(begin, end).fit(values) for begin, end in zip(ends, ends[1:])]
