#!/usr/bin/env python3
"""The reader of records with files that are right, corrupt, foreign, mixed and empty; series of them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from for_test import made_up
from reading import BadRecords, read_file, read_files
from series import series_of

HERE = Path(__file__).resolve().parent


class Reading(unittest.TestCase):
    def setUp(self):
        self.path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "records.ndjson"

    def objection_to(self, text):
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with self.assertRaises(BadRecords) as caught:
            read_file(self.path)
        sentence = str(caught.exception)
        self.assertIn("records.ndjson", sentence)
        self.assertNotIn("\n", sentence)
        return sentence

    def objection_to_record(self, **changes):
        return self.objection_to(json.dumps(made_up.RECORD | changes) + "\n")

    def test_reads_what_was_written(self):
        records = [
            made_up.record(),
            made_up.failed(),
            made_up.record(commit=None, bound=None, interval=None, steal_fraction=None),
        ]
        self.assertEqual(read_file(made_up.write(self.path, records)), records)

    def test_empty(self):
        self.assertIn("got an empty file", self.objection_to(""))

    def test_absent(self):
        with self.assertRaisesRegex(BadRecords, "No such file"):
            read_files([self.path])

    def test_a_fifo_is_not_waited_for(self):
        os.mkfifo(self.path)
        with self.assertRaisesRegex(BadRecords, "expected a regular file"):
            read_files([self.path])

    def test_cut_in_the_middle_of_a_line(self):
        line = json.dumps(made_up.RECORD) + "\n"
        self.assertIn(":2: expected a line that ends", self.objection_to(line + line[:50]))

    def test_corrupt(self):
        for text in ["{]\n", "\n", "nothing\n", "[" * 100_000 + "\n", '{"a": 1, "a": 2}\n', '{"a": NaN}\n']:
            with self.subTest(text[:20]):
                self.assertIn(":1: expected a benchmark record as JSON", self.objection_to(text))
        self.assertIn("UTF-8", self.objection_to(b"\xff\xfe\n"))

    def test_foreign(self):
        self.assertIn("file of another tool", self.objection_to('{"context": {}, "benchmarks": []}\n'))
        self.assertIn("got 'zerocts-plan'", self.objection_to('{"schema": "zerocts-plan"}\n'))

    def test_mixed(self):
        mixed = json.dumps(made_up.RECORD) + '\n{"type": "begin"}\n'
        self.assertIn(":2: expected a record with", self.objection_to(mixed))

    def test_of_a_newer_version(self):
        self.assertIn("expected version 1", self.objection_to_record(version=2))

    def test_fields(self):
        no_day = "2026-02-30T12:00:00Z"
        backwards = {"rank": 0, "name": "step", "index": -1, "begin": 2, "end": 1}
        for changes, expected in [
            ({"value": "fast"}, 'expected a number from 0 to 1e100, or null at $.value, got "fast"'),
            ({"value": True}, "expected a number from 0 to 1e100, or null at $.value, got true"),
            ({"value": 10**400}, "expected a number from 0 to 1e100, or null at $.value, got 1000"),
            ({"value": -1}, "expected a number from 0 to 1e100, or null at $.value, got -1"),
            ({"value": 1e101}, "expected a number from 0 to 1e100, or null at $.value, got 1e+101"),
            ({"bound": {"name": "limit", "value": -1}}, "expected a number from 0 to 1e100 at $.bound.value, got -1"),
            ({"unit": "s\x1b[31m"}, "expected printable text of 1 to 4096 characters at $.unit"),
            ({"value": None}, "expected a value where there is no error at $.value, got null"),
            (
                {"error": "it crashed"},
                "expected null beside an error, for a benchmark that failed has no figure at $.value",
            ),
            ({"samples": [1, "2"]}, 'expected a number from 0 to 1e100 at $.samples[1], got "2"'),
            ({"direction": "up"}, 'expected smaller, bigger or equal at $.direction, got "up"'),
            ({"interval": {"low": 2, "high": 1, "confidence": 0.95}}, "expected at least low at $.interval.high"),
            ({"bound": {"name": "limit"}}, "at $.bound, got 'value' is a required property"),
            ({"name": "a\nb"}, 'expected printable text of 1 to 4096 characters at $.name, got "a\\nb"'),
            ({"name": "a\n"}, "expected printable text of 1 to 4096 characters at $.name"),
            ({"name": "a\ud800"}, "expected printable text of 1 to 4096 characters at $.name"),
            ({"date": "yesterday"}, 'expected a date such as 2026-11-25T02:00:00Z at $.date, got "yesterday"'),
            ({"date": no_day}, f'expected a date such as 2026-11-25T02:00:00Z at $.date, got "{no_day}"'),
            ({"steal_fraction": 1.5}, "expected a number from 0 to 1, or null at $.steal_fraction, got 1.5"),
            ({"case": {"ranks": [1, 2]}}, "expected printable text, a number, true or false at $.case.ranks"),
            ({"case": {"plan": "a\x1b[31m"}}, "expected printable text, a number, true or false at $.case.plan"),
            ({"case": {"a\x1b": 1}}, "expected printable text of 1 to 4096 characters at $.case"),
            ({"host": "somebody"}, "at $, got Additional properties are not allowed ('host' was unexpected)"),
            ({"timeline": [{"rank": 0}]}, "at $.timeline[0], got 'name' is a required property"),
            ({"timeline": [backwards]}, "expected at least begin at $.timeline[0].end"),
        ]:
            with self.subTest(expected):
                self.assertIn(
                    f":1: {expected}" if expected.startswith("expected") else expected,
                    self.objection_to_record(**changes),
                )

    def test_without_jsonschema(self):
        """One sentence, with what installs it."""
        made_up.write(self.path, [made_up.record()])
        absent = "import sys; sys.modules['jsonschema'] = None; import reading; reading.read_file(sys.argv[1])"
        ended = subprocess.run(
            [sys.executable, "-c", absent, self.path], cwd=HERE, capture_output=True, text=True, check=False
        )
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (3, 1), ended.stderr)
        self.assertIn("install it: apt-get install python3-jsonschema, or ", ended.stderr)


class Series(unittest.TestCase):
    def test_in_the_order_of_the_commits(self):
        old, new = made_up.history([1.0, 2.0])
        (series,) = series_of([new | {"date": "2026-01-01T00:00:00Z"}, old | {"date": "2026-05-01T00:00:00Z"}])
        self.assertEqual([record["value"] for record in series.records], [1.0, 2.0])

    def test_machines_are_kept_apart(self):
        both = series_of([made_up.record(machine="bb22"), made_up.record(machine="aa11")])
        self.assertEqual([series.machine for series in both], ["aa11", "bb22"])

    def test_cases_of_one_name_are_told_apart(self):
        cases = [{"ranks": 2, "stage": 1}, {"ranks": 4, "stage": 1}, {"ranks": 4, "stage": 1, "plan": "even"}]
        names = [series.name for series in series_of([made_up.record(name="time", case=case) for case in cases])]
        self.assertEqual(
            names, ["native/time/plan=-/ranks=2", "native/time/plan=-/ranks=4", "native/time/plan=even/ranks=4"]
        )

    def test_a_failure_need_not_know_its_unit(self):
        (series,) = series_of([made_up.failed(unit="1"), made_up.record(unit="byte", direction="equal")])
        self.assertEqual((series.unit, series.direction), ("byte", "equal"))

    def test_one_unit_and_direction(self):
        for change in [{"unit": "ms"}, {"direction": "bigger"}]:
            with self.assertRaisesRegex(BadRecords, f"expected one {next(iter(change))} for native/step_time"):
                series_of([made_up.record(), made_up.record(**change)])


if __name__ == "__main__":
    unittest.main()
