#!/usr/bin/env python3
"""What counts as a change: series as machines make them, each with eight seeds, against what happened in them."""

import unittest

import numpy

from for_test import made_up
from page.figures import change_in_words, written
from page.history_of import history_of
from series import series_of
from trend.segmentation import pieces_of
from trend.votes import EXACT, OTAVA, OURS, changes_of_exact, changes_of_noisy

SEEDS, COUNT, NOISE = range(8), 60, 0.01


def noisy(seed, shape=1.0):
    """`shape` with noise as of a benchmark: a normal part, and a slower part of one run in ten."""
    draws = numpy.random.default_rng(seed)
    slower = draws.exponential(NOISE, COUNT) * (draws.random(COUNT) < 0.1)
    return shape * (draws.normal(1.0, NOISE, COUNT) + slower)


def changes_in(values, otava=None, **fields):
    (series,) = series_of(made_up.history([float(value) for value in values], **fields))
    return history_of(series, otava).changes


class Trend(unittest.TestCase):
    def test_noise_has_no_change(self):
        for seed in SEEDS:
            self.assertEqual(changes_in(noisy(seed)), [], seed)

    def test_outlier_is_no_change(self):
        for seed in SEEDS:
            for index in (20 + seed, 0, 1, COUNT - 2, COUNT - 1):
                values = noisy(seed)
                values[index] *= 1.3
                self.assertEqual(changes_in(values, otava=[index]), [], (seed, index))

    def test_drift_is_one_drift(self):
        for seed in SEEDS:
            for growth in (0.1, -0.1, 0.3):
                values = noisy(seed, numpy.linspace(1.0, 1.0 + growth, COUNT))
                (drift,) = changes_in(values, otava=[15, 30, 45])
                self.assertEqual(drift.kind, "drift", (seed, growth))
                self.assertAlmostEqual(drift.ratio, 1 + growth, delta=0.02)
                self.assertRegex(change_in_words(drift), r"^drift of [+-]\d")

    def test_step_is_found(self):
        for seed in SEEDS:
            for factor in (1.03, 0.97):
                (step,) = changes_in(noisy(seed, numpy.where(numpy.arange(COUNT) < 40, 1.0, factor)))
                self.assertAlmostEqual(step.index, 40, delta=3)
                self.assertAlmostEqual(step.ratio, factor, delta=0.01)

    def test_steps_of_a_staircase_are_no_drift(self):
        for seed in SEEDS:
            steps = changes_in(noisy(seed, numpy.repeat([1.0, 1.1, 1.2], COUNT // 3)))
            self.assertEqual([step.kind for step in steps], ["level", "level"], seed)

    def test_runs_of_one_build_have_no_change(self):
        """A machine that slows down between two runs of one build is no change of the build."""
        build = {"id": made_up.commit_id(1), "dirty": False, "date": "2026-11-01T12:00:00+00:00"}
        for direction in ("smaller", "bigger", "equal"):
            for values in ([1.0, 1.2, 1.1], [1.0] * 5 + [1.2] * 5):
                records = made_up.history(values, direction=direction)
                for record in records:
                    record["commit"] = build
                (series,) = series_of(records)
                self.assertEqual(history_of(series, [1]).changes, [])

    def test_figures_of_a_change_differ_as_printed(self):
        for seed in SEEDS:
            for factor in (1.00001, 1.0):
                values = 1e6 * numpy.where(numpy.arange(COUNT) < 30, 1.0, factor)
                values *= 1 + 1e-7 * numpy.random.default_rng(seed).normal(size=COUNT)
                for change in changes_in(values, otava=[30], unit="byte"):
                    self.assertNotEqual(written(change.before, "byte"), written(change.after, "byte"))

    def test_spread_is_told_by_its_size(self):
        for seed in SEEDS:
            draws = numpy.random.default_rng(seed)
            values = numpy.concatenate([draws.normal(1.0, 0.003, 30), draws.normal(1.0, 0.05, 30)])
            (change,) = changes_in(values)
            self.assertEqual(change.kind, "spread")
            self.assertGreater(change.after, 4 * change.before)


NORMAL = numpy.random.default_rng(7).normal(1.0, 0.01, 40)


def with_step(factor, index=25):
    return numpy.where(numpy.arange(len(NORMAL)) < index, NORMAL, NORMAL * factor)


def cuts_of(values):
    return [piece.begin for piece in pieces_of(values)[1:]]


class Segmentation(unittest.TestCase):
    def test_a_step_is_found_where_it_is(self):
        for factor in (0.9, 1.05, 1.5):
            self.assertEqual(cuts_of(with_step(factor)), [25])

    def test_noise_alone_has_none(self):
        draws = numpy.random.default_rng(3)
        false = sum(bool(cuts_of(draws.normal(1.0, 0.02, 40))) for _ in range(200))
        self.assertLessEqual(false, 10)

    def test_two_steps(self):
        self.assertEqual(cuts_of([1.0] * 10 + [2.0] * 4 + [1.0] * 10), [10, 14])

    def test_the_best_cut_of_all(self):
        """Against every single cut, by the definition itself."""
        values = with_step(1.03)[15:35]
        cost = lambda piece: len(piece) * numpy.log(numpy.var(piece) + (0.002 * numpy.median(values)) ** 2)  # noqa: E731
        cuts = range(4, 17)
        best = min(cuts, key=lambda cut: cost(values[:cut]) + cost(values[cut:]))
        self.assertEqual(cuts_of(values), [best])

    def test_few_values_have_none(self):
        for count in range(8):
            self.assertEqual(cuts_of([1.0] * (count // 2) + [2.0] * (count - count // 2)), [])


class Votes(unittest.TestCase):
    def test_near_votes_are_for_one_change(self):
        (change,) = changes_of_noisy(pieces_of(with_step(1.2)), [27])
        self.assertEqual((change.index, change.votes), (25, (OTAVA, OURS)))
        self.assertTrue(change.agreed)
        self.assertAlmostEqual(change.ratio, 1.2, delta=0.02)

    def test_far_votes_confirm_nothing(self):
        changes = changes_of_noisy(pieces_of(with_step(1.2)), [10])
        self.assertEqual([(change.index, change.votes) for change in changes], [(25, (OURS,))])

    def test_exact_figures_change_by_one(self):
        changes = changes_of_exact([7, 7, 8, 8, 7])
        self.assertEqual([(change.index, change.votes) for change in changes], [(2, (EXACT,)), (4, (EXACT,))])
        self.assertEqual([change_in_words(change) for change in changes], ["+1", "-1"])


if __name__ == "__main__":
    unittest.main()
