"""Bencher Metric Format: {benchmark: {measure: {value, lower_value, upper_value}}}; for `bencher run --adapter
json`.
"""

import json

from exporters import Exported
from exporters.units import spelled_out
from series import newest_of_one_machine

MEANING = "Bencher Metric Format, for bencher run --adapter json"
MAX_NAME, MAX_MEASURE = 1024, 64


def export(all_series):
    newest = newest_of_one_machine(all_series)
    fits = {name: record for name, record in newest if len(name) <= MAX_NAME}
    left_out = {name: f"its name is longer than {MAX_NAME}" for name, _ in newest if name not in fits}
    benchmarks = {name: {measure_of(record): metric_of(record)} for name, record in fits.items()}
    return Exported({"bencher.json": json.dumps(benchmarks, indent=1) + "\n"} if fits else {}, left_out)


def measure_of(record):
    return spelled_out(record["unit"])[:MAX_MEASURE]


def metric_of(record):
    metric = {"value": record["value"]}
    if record["interval"]:
        metric |= {"lower_value": record["interval"]["low"], "upper_value": record["interval"]["high"]}
    return metric
