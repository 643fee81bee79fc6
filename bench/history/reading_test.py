#!/usr/bin/env python3
"""The reader of records with files that are right, corrupt, foreign, mixed and empty; series of them."""

import json
import tempfile
import unittest
from pathlib import Path

from for_test import made_up
from reading import BadRecords, read_file, read_files
from series import series_of
from shape import OPTIONAL_FIELDS, RECORD_FIELDS

SCHEMA = Path(__file__).resolve().parents[1] / "record" / "record.schema.json"


class Reading(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "records.ndjson"

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
        for changes, expected in [
            ({"value": "fast"}, "in 'value' a finite number"),
            ({"value": True}, "in 'value' a finite number"),
            ({"value": 10**400}, "in 'value' a finite number"),
            ({"value": None}, "a value where there is no error"),
            ({"error": "it crashed"}, "no value beside an error"),
            ({"samples": [1, "2"]}, "in 'samples' in it only a finite number"),
            ({"direction": "up"}, "in 'direction' smaller or bigger or equal"),
            ({"interval": {"low": 2, "high": 1, "confidence": 0.95}}, "an interval whose low"),
            ({"bound": {"name": "limit"}}, "in 'bound' a field 'value'"),
            ({"name": "a\nb"}, "in 'name' printable text"),
            ({"date": "yesterday"}, "in 'date' a date such as"),
            ({"date": "2026-02-30T12:00:00Z"}, "in 'date' a date such as"),
            ({"steal_fraction": 1.5}, "in 'steal_fraction' a number from 0 to 1"),
            ({"case": {"ranks": [1, 2]}}, "in 'case' an object whose values"),
            ({"host": "somebody"}, "no field 'host'"),
            ({"timeline": [{"rank": 0}]}, "in 'timeline' in it only a field 'name'"),
            (
                {"timeline": [{"rank": 0, "name": "step", "index": -1, "begin": 2, "end": 1}]},
                "in 'timeline' in it only a span that ends at or after its begin",
            ),
        ]:
            with self.subTest(expected):
                self.assertIn(expected, self.objection_to_record(**changes))

    def test_fields_are_those_of_the_schema(self):
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        self.assertEqual(sorted(schema["properties"]), sorted(RECORD_FIELDS | OPTIONAL_FIELDS))
        self.assertEqual(sorted(schema["required"]), sorted(RECORD_FIELDS))


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
