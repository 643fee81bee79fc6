"""Records sorted into series: the values of one benchmark of one subject on one machine, in the order of the commits.

Machines are told apart by their fingerprint and never share a series. Where cases of one name differ, the fields in
which they differ become part of the series' name.
"""

import dataclasses
import datetime
import json

from reading import BadRecords

ABSENT = "-"  # where some cases of a name lack a field


@dataclasses.dataclass
class Series:
    name: str  # subject/name, with what tells its case from others
    machine: str  # the fingerprint
    records: list  # in the order of the commits; those with an error have no value

    @property
    def measured(self):
        return [record for record in self.records if record["error"] is None]

    @property
    def newest(self):
        return self.records[-1]

    @property
    def unit(self):
        return self.typical["unit"]

    @property
    def direction(self):
        return self.typical["direction"]

    @property
    def typical(self):
        """One that was measured, where there is one: a benchmark that failed may not know its unit."""
        return next(iter(self.measured), self.records[0])


def series_of(records):
    """All series, sorted by name and machine. Raises BadRecords where one mixes units or directions."""
    cases = {}
    for record in records:
        cases.setdefault((record["subject"], record["name"]), {})[case_text(record)] = record["case"]
    by_key = {}
    for record in records:
        name = name_of(record, cases[record["subject"], record["name"]])
        by_key.setdefault((name, record["machine"]["fingerprint"]), []).append(record)
    all_series = [Series(name, machine, sorted(group, key=order)) for (name, machine), group in sorted(by_key.items())]
    for series in all_series:
        require_one("unit", series)
        require_one("direction", series)
    return all_series


def case_text(record):
    return json.dumps(record["case"], sort_keys=True)


def name_of(record, cases):
    """`cases`: all of this subject and name, by their text."""
    name = f"{record['subject']}/{record['name']}"
    fields = sorted({field for case in cases.values() for field in case})
    for field in fields:
        values = {json.dumps(case.get(field)) for case in cases.values()}
        if len(values) > 1:
            name += f"/{field}={record['case'].get(field, ABSENT)}"
    return name


def order(record):
    """By the date of the commit, else of the measurement; measurements of one commit by their own."""
    measured = moment(record["date"])
    return (moment(record["commit"]["date"]) if record["commit"] else measured, measured)


def moment(text):
    return datetime.datetime.fromisoformat(text)


def require_one(field, series):
    values = sorted({record[field] for record in series.measured})
    if len(values) > 1:
        raise BadRecords(
            f"expected one {field} for {series.name}, got '{values[0]}' and '{values[1]}'; these records are of "
            "different benchmarks: give them in different calls"
        )


def of_machine(all_series, machine):
    """Those of one fingerprint, all where it is None."""
    machines = sorted({series.machine for series in all_series})
    if machine is not None and machine not in machines:
        raise BadRecords(f"--machine: expected one of {', '.join(machines)}, got {machine}")
    return [series for series in all_series if machine in (None, series.machine)]


def newest_of_one_machine(all_series):
    """(name, record) of the newest record of each series, for formats of a single run; without those that failed."""
    machines = sorted({series.machine for series in all_series})
    if len(machines) > 1:
        raise BadRecords(
            f"expected records of one machine, got of {len(machines)} ({', '.join(machines)}); choose one with "
            "--machine"
        )
    return [(series.name, series.newest) for series in all_series if not series.newest["error"]]
