"""A series with its changes, as the page shows it."""

import dataclasses

from trend.votes import changes_of_exact, changes_of_noisy


@dataclasses.dataclass
class History:
    series: object
    places: list  # in series.records, of what is compared: neither failed nor oversubscribed
    changes: list  # their places are indices of `values`

    @property
    def values(self):
        return [self.series.records[place]["value"] for place in self.places]

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
        return self.series.records[self.places[change.place]]["commit"]


def compared_places(series):
    return [
        place for place, record in enumerate(series.records) if record["error"] is None and not record["oversubscribed"]
    ]


def values_of(series):
    return [series.records[place]["value"] for place in compared_places(series)]


def history_of(series, otava):
    """`otava`: the places in values_of(series) for which Otava votes, or None where it was not asked."""
    values = values_of(series)
    changes = changes_of_exact(values) if series.direction == "equal" else changes_of_noisy(values, otava)
    return History(series, compared_places(series), changes)
