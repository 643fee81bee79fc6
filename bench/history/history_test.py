#!/usr/bin/env python3
"""The history and its page as text; what counts as a change: trend_test.py; in a browser: page_test.py."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

from for_test import made_up
from history import histories_of
from page.document import html_of
from page.figures import exactly, ticks, written
from page.history_of import history_of
from series import series_of

HISTORY = Path(__file__).resolve().parent / "history.py"
NOISE = numpy.random.default_rng(7).normal(1.0, 0.01, 40)


def with_step(factor, index=25):
    return [float(value * (factor if here >= index else 1)) for here, value in enumerate(NOISE)]


def the_history(records, otava=None):
    (series,) = series_of(records)
    return history_of(series, otava)


class History(unittest.TestCase):
    def test_verdict_follows_the_direction(self):
        for direction, factor, verdict in [
            ("smaller", 1.2, "worse"),
            ("smaller", 0.8, "better"),
            ("bigger", 1.2, "better"),
            ("bigger", 0.8, "worse"),
        ]:
            history = the_history(made_up.history(with_step(factor), direction=direction))
            self.assertEqual([history.verdict_on(change) for change in history.changes], [verdict])

    def test_what_failed_or_was_oversubscribed_is_not_compared(self):
        records = made_up.history(with_step(1.2))
        records[3] |= {"value": None, "error": "a rank crashed"}
        for record in records[25:]:
            record["oversubscribed"] = True
        history = the_history(records)
        self.assertEqual((history.changes, len(history.values)), ([], 24))

    def test_commit_of_a_change_after_one_that_failed(self):
        records = made_up.history(with_step(1.2))
        records[3] |= {"value": None, "error": "a rank crashed"}
        history = the_history(records)
        self.assertEqual(history.commit_of(history.changes[0])["id"], made_up.commit_id(25))


class Page(unittest.TestCase):
    def page(self, records):
        return html_of(histories_of(series_of(records), with_otava=False), "by one vote")

    def test_needs_nothing_from_elsewhere(self):
        page = self.page(made_up.history(with_step(1.2)))
        self.assertIn("default-src 'none'", page)
        for outside in ("http:", "https:", "src=", "url(", "@import"):
            self.assertNotIn(outside, page)

    def test_bound_goes_with_the_runs(self):
        records = made_up.history([1.0, 1.1, 1.05])
        for record, bound in zip(records, (0.9, 0.95, 0.85)):
            record["bound"] = {"name": "memory", "value": bound}
        (path,) = re.findall(r'<path class="bound" d="M([^"]*)"', self.page(records))
        heights = [float(point.split()[1]) for point in path.split("L")]
        self.assertTrue(heights[0] == heights[1] > heights[2] < heights[3] == heights[4], path)
        for record in records:
            record["bound"]["value"] = 1e-6  # a line so far below would hide what changes
        page = self.page(records)
        self.assertNotIn('<path class="bound"', page)
        self.assertIn("bound 1 us", page)

    def test_changes_with_all_votes_come_first(self):
        doubted = the_history(made_up.history(with_step(1.2, index=30), name="doubted"))
        agreed = the_history(made_up.history(with_step(1.2), name="agreed"), otava=[25])
        rows = html_of([doubted, agreed], "votes").split("<tbody>")[1].split("</tr>")
        self.assertIn("native/agreed", rows[0])
        self.assertIn("native/doubted", rows[1])

    def test_names_are_not_markup(self):
        evil = "<script>alert(1)</script>\"'&"
        more = {"subject": evil, "machine": evil, "bound": {"name": evil, "value": 1}, "direction": "equal"}
        page = self.page(made_up.history([1, 2], name=evil, **more))
        self.assertEqual(page.count("alert(1)"), page.count("&lt;script&gt;alert(1)"))
        self.assertNotIn("<script>alert", page)
        self.assertEqual(page.count("<script>"), 1)

    def test_charts_can_be_reached_by_keys(self):
        """Chromium focuses a picture that listens for it even without a tabindex; others do not."""
        self.assertRegex(self.page(made_up.history([1.0])), r'<svg [^>]*tabindex="0"')

    def test_extreme_figures(self):
        for values in ([0.0] * 9, [1e300, -1e300] * 5, [5e-324] * 9, [1.0]):
            self.assertIn("<svg", self.page(made_up.history(values)))

    def test_figures_are_written_for_people(self):
        self.assertEqual(written(0.0125, "s"), "12.5 ms")
        self.assertEqual(written(1500, "us"), "1.5 ms")
        self.assertEqual(written(3 << 20, "byte"), "3 MiB")
        self.assertEqual(exactly(1048577, "byte"), "1,048,577 byte")
        self.assertEqual([text for _, text in ticks(0.019, 0.0251, "s")], ["20 ms", "22 ms", "24 ms"])
        self.assertEqual([value for value, _ in ticks(0.0, 5e-324, "s")], [0.0])


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ended(self, records, *more, page="out.html"):
        path = made_up.write(self.folder / "records.ndjson", records)
        command = [sys.executable, HISTORY, path, "--page", self.folder / page, "--without-otava", *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def test_says_what_changed_and_since_when(self):
        ended = self.ended(made_up.history(with_step(1.2)))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        line = ended.stdout.splitlines()[0]
        self.assertRegex(
            line, rf"^worse: native/step_time \+(19|20)\.?\d? % since {made_up.commit_id(25)[:12]} \(segments\)$"
        )
        self.assertTrue((self.folder / "out.html").is_file())

    def test_mistakes_are_one_sentence(self):
        records = made_up.history([1.0])
        for ended, words in [
            (self.ended([]), "got an empty file"),
            (self.ended(records, page="none/out.html"), "--page: expected a file that can be written"),
            (self.ended(records, "--machine", "zz"), "--machine: expected one of aa11, got zz"),
        ]:
            self.assertEqual(ended.returncode, 2)
            self.assertIn(words, ended.stderr)
            self.assertEqual(ended.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
