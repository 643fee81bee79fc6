"""A series with its changes, as the page shows it."""

import dataclasses

from trend.votes import changes_of_exact, changes_of_noisy


@dataclasses.dataclass
class History:
    series: object
    indices: list  # in series.records, of what is compared: neither failed nor oversubscribed
    changes: list  # their indices are those of `values`

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
        if change.after == change.before:
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
    values = values_of(series)
    changes = changes_of_exact(values) if series.direction == "equal" else changes_of_noisy(values, otava)
    return History(series, compared_indices(series), changes)
