"""Apache Otava: a CSV per series, for Otava takes no gaps, and otava.yaml, which names them and says which way is
better.

Figures that must stay equal are left out; statistics have no say about them. `otava analyze all --config-file
otava.yaml` runs in the folder of the files.
"""

import csv
import io
import json

from exporters import Exported

MEANING = "CSV files and otava.yaml for Apache Otava (all runs of the files)"
DIRECTIONS = {"smaller": -1, "bigger": 1}


def export(all_series):
    chosen = [series for series in all_series if series.measured]
    left_out = {
        series.name: "it is compared by ==, not by statistics" for series in chosen if series.direction == "equal"
    }
    files, tests = {}, []
    for number, series in enumerate((series for series in chosen if series.direction in DIRECTIONS), 1):
        file = f"series_{number:04}.csv"
        files[file] = csv_of(series)
        tests.append(test_of(series, file))
    if files:
        files["otava.yaml"] = yaml_of(tests)
    return Exported(files, left_out)


def csv_of(series):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", "commit", "value"])
    for record in series.measured:
        commit = record["commit"]
        writer.writerow(
            [commit["date"] if commit else record["date"], commit["id"] if commit else "", repr(record["value"])]
        )
    return text.getvalue()


def test_of(series, file):
    metric = {"column": "value", "direction": DIRECTIONS[series.direction], "scale": 1}
    name = f"{series.name} on {series.machine}"
    return name, {
        "type": "csv",
        "file": file,
        "time_column": "time",
        "attributes": ["commit"],
        "metrics": {"value": metric},
    }


def yaml_of(tests):
    """Each line is JSON, which YAML holds."""
    lines = ["tests:"] + [f"  {json.dumps(name)}: {json.dumps(test)}" for name, test in tests]
    lines += ["test_groups:", f"  all: {json.dumps([name for name, _ in tests])}"]
    return "\n".join(lines) + "\n"
