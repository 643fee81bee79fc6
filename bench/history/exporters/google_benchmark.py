"""Google Benchmark's JSON, one row per sample: what its compare.py, Bencher and others read.

It knows times only. A benchmark that failed is left out: readers of this format take its 0.0 for an infinitely fast
one.
"""

import json

from exporters import Exported
from series import newest_of_one_machine

MEANING = "JSON of Google Benchmark (times only), for its compare.py"
TIME_UNITS = ("ns", "us", "ms", "s")


def export(all_series):
    newest = newest_of_one_machine(all_series)
    times = [(name, record) for name, record in newest if record["unit"] in TIME_UNITS]
    left_out = {
        name: f"its unit is {record['unit']}, not a time" for name, record in newest if (name, record) not in times
    }
    rows = [row for name, record in times for row in rows_of(name, record)]
    text = json.dumps({"context": context_of(newest), "benchmarks": rows}, indent=1)
    return Exported({"google_benchmark.json": text + "\n"} if rows else {}, left_out)


def context_of(newest):
    if not newest:
        return {}
    record = newest[-1][1]
    return {
        "date": record["date"],
        "num_cpus": record["machine"]["cores"],
        "executable": "zerocts bench",
        "cpu": record["machine"]["cpu"],
        "compiler": record["compiler"]["name"],
        "commit": record["commit"]["id"] if record["commit"] else "",
    }


def rows_of(name, record):
    samples = record["samples"] or [record["value"]]
    return [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": len(samples),
            "repetition_index": index,
            "threads": 1,
            "iterations": 1,
            "real_time": sample,
            "cpu_time": sample,
            "time_unit": record["unit"],
        }
        for index, sample in enumerate(samples)
    ]
