#!/usr/bin/env python3
"""Runs in an environment that has Apache Otava: a list of lists of values as JSON on standard input, Otava's change
points of each, with Otava's defaults, on standard output.
"""

import json
import sys

from otava.analysis import compute_change_points


def change_points(values):
    if len(values) < 2:  # Otava fails on none
        return []
    strong, _ = compute_change_points([float(value) for value in values])
    return [int(point.index) for point in strong]


if __name__ == "__main__":
    print(json.dumps([change_points(values) for values in json.load(sys.stdin)]))
