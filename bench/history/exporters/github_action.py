"""Two files for github-action-benchmark, whose direction is one per file: customSmallerIsBetter and
customBiggerIsBetter.

A figure that must stay equal stands in both, so that a change either way is an alert.
"""

import json

from exporters import Exported
from series import newest_of_one_machine

MEANING = "two files for github-action-benchmark, one per direction"
FILES = {"smaller": "smaller_is_better.json", "bigger": "bigger_is_better.json"}


def export(all_series):
    newest = newest_of_one_machine(all_series)
    files = {}
    for direction, file in FILES.items():
        rows = [row_of(name, record) for name, record in newest if record["direction"] in (direction, "equal")]
        if rows:
            files[file] = json.dumps(rows, indent=1) + "\n"
    return Exported(files)


def row_of(name, record):
    row = {"name": name, "unit": record["unit"], "value": record["value"]}
    interval, bound = record["interval"], record["bound"]
    if interval:
        row["range"] = f"{interval['low']:.6g} to {interval['high']:.6g}"
    extra = [
        f"{record['compiler']['name']} {record['compiler']['version']}",
        f"machine {record['machine']['fingerprint']}",
    ]
    if bound:
        extra.append(f"bound {bound['name']}: {bound['value']:.6g}")
    return row | {"extra": "\n".join(extra)}
