#!/usr/bin/env python3
"""Precision and recall of the votes on the 17 labelled patterns of otava-test-data, as a table in Markdown.

usage: labelled_patterns.py [--seeds N]      in the environment of Otava, which history.py makes on its first call

The patterns, their parameters and the tolerance of 5 values are those of otava-test-data's own visualizer; each has 50
and 500 values and N seeds. exit 0: our F1 is at least Otava's; 1: it is smaller
"""

import argparse
import dataclasses
import sys
from pathlib import Path

from otava_test_data.generators import advanced, basic

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from trend import otava_change_points, segmentation, votes  # noqa: E402

TOLERANCE, LENGTHS = 5, (50, 500)
PATTERNS = {
    "constant": (basic.constant, {"value": 100}),
    "normal noise": (basic.noise_normal, {"mean": 100, "sigma": 5}),
    "uniform noise": (basic.noise_uniform, {"min_val": 90, "max_val": 110}),
    "outlier": (basic.outlier, {"baseline": 100, "outlier_value": 150, "sigma": 5}),
    "step": (basic.step_function, {"value_before": 100, "value_after": 120, "sigma": 5}),
    "regression and fix": (
        basic.regression_fix,
        {"value_normal": 100, "value_regression": 130, "regression_duration": 20, "sigma": 5},
    ),
    "banding": (advanced.banding, {"value1": 100, "value2": 105, "sigma": 2}),
    "change of variance": (advanced.variance_change, {"mean": 100, "sigma_before": 2, "sigma_after": 10}),
    "change of phase": (advanced.phase_change, {"amplitude": 10, "baseline": 100, "period": 20, "sigma": 2}),
    "several changes": (advanced.multiple_changes, {"sigma": 5}),
    "several outliers": (
        advanced.multiple_outliers,
        {"baseline": 100, "outlier_value": 150, "n_outliers": 5, "sigma": 5},
    ),
    "several changes of variance": (advanced.multiple_variance_changes, {"mean": 100}),
    "step, no noise": (basic.step_function, {"value_before": 100, "value_after": 120}),
    "several changes, no noise": (advanced.multiple_changes, {}),
    "regression and fix, no noise": (
        basic.regression_fix,
        {"value_normal": 100, "value_regression": 130, "regression_duration": 20},
    ),
    "banding, no noise": (advanced.banding, {"value1": 100, "value2": 110}),
    "outlier, no noise": (basic.outlier, {"baseline": 100, "outlier_value": 150}),
}


@dataclasses.dataclass
class Counts:
    found: int = 0
    false: int = 0
    missed: int = 0

    def add(self, truth, said):
        unmatched = list(truth)
        for index in said:
            match = next((true for true in unmatched if abs(true - index) <= TOLERANCE), None)
            if match is None:
                self.false += 1
            else:
                unmatched.remove(match)
                self.found += 1
        self.missed += len(unmatched)

    def plus(self, other):
        return Counts(self.found + other.found, self.false + other.false, self.missed + other.missed)

    @property
    def precision(self):
        return self.found / (self.found + self.false) if self.found + self.false else 1.0

    @property
    def recall(self):
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0

    @property
    def f1(self):
        return 2 * self.found / (2 * self.found + self.false + self.missed) if self.found else 0.0


def said_by(values):
    """{voter: indices}, with those for which either or both voted."""
    otava = otava_change_points.change_points(values)
    changes = votes.changes_of_noisy(segmentation.pieces_of(values), otava)
    return {
        "Otava 0.8.0": otava,
        "segments (ours)": [change.index for change in changes if change.kind != "drift"],
        "both": [change.index for change in changes if len(change.votes) == 2],
    }


def counts_of(pattern, seeds):
    make, parameters = PATTERNS[pattern]
    counts = {}
    for length in LENGTHS:
        for seed in range(seeds):
            made = make(length, seed=seed, **parameters)
            for voter, indices in said_by(made.data).items():
                counts.setdefault(voter, Counts()).add(made.get_change_point_indices(), indices)
    return counts


def table_of(by_pattern):
    voters = list(next(iter(by_pattern.values())))
    totals = {voter: Counts() for voter in voters}
    rows = [f"| pattern | {' | '.join(voters)} |", "| --- |" + " --- |" * len(voters)]
    for pattern, counts in by_pattern.items():
        cells = [f"{counts[voter].found} / {counts[voter].false} / {counts[voter].missed}" for voter in voters]
        rows.append(f"| {pattern} | {' | '.join(cells)} |")
        totals = {voter: totals[voter].plus(counts[voter]) for voter in voters}
    for title, figure in [("precision", "precision"), ("recall", "recall"), ("F1", "f1")]:
        rows.append(f"| **{title}** | {' | '.join(f'{getattr(totals[voter], figure):.3f}' for voter in voters)} |")
    return "\n".join(rows), totals


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    table, totals = table_of({pattern: counts_of(pattern, seeds) for pattern in PATTERNS})
    print(table)
    otava, ours = list(totals.values())[:2]
    return 0 if ours.f1 >= otava.f1 else 1


if __name__ == "__main__":
    sys.exit(main())
