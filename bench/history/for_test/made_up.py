"""Records that are made up, for tests."""

import copy
import hashlib
import json

RECORD = {
    "schema": "zerocts-bench-record",
    "version": 1,
    "name": "step_time/stage=2/ranks=2",
    "value": 1.25,
    "unit": "s",
    "direction": "smaller",
    "bound": {"name": "bytes moved once", "value": 1.0},
    "samples": [1.2, 1.25, 1.5],
    "interval": {"low": 1.2, "high": 1.5, "confidence": 0.95},
    "subject": "native",
    "case": {"stage": 2, "ranks": 2},
    "commit": {"id": "0123456789abcdef", "dirty": False, "date": "2026-11-01T12:00:00+00:00"},
    "compiler": {"name": "GNU", "version": "12.2.0", "flags": "-O3"},
    "machine": {
        "fingerprint": "aa11",
        "cpu": "made up",
        "cores": 2,
        "memory_bytes": 1 << 33,
        "governor": "",
        "kernel": "6.1",
    },
    "steal_fraction": 0.0,
    "oversubscribed": False,
    "date": "2026-11-02T12:00:00Z",
    "error": None,
}


def record(machine="aa11", **changes):
    made = copy.deepcopy(RECORD) | changes
    made["machine"]["fingerprint"] = machine
    return made


def failed(**changes):
    return record(value=None, samples=[], interval=None, error="a rank crashed", **changes)


def commit_id(number):
    return hashlib.sha1(str(number).encode()).hexdigest()


def history(values, name="step_time", **changes):
    """A record per value, a commit and a day each."""
    days = [f"2026-{1 + day // 28:02}-{1 + day % 28:02}T12:00:00+00:00" for day in range(len(values))]
    return [
        record(
            name=name,
            value=value,
            samples=[value],
            interval=None,
            commit={"id": commit_id(number), "dirty": False, "date": day},
            date=day,
            **changes,
        )
        for number, (value, day) in enumerate(zip(values, days))
    ]


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
