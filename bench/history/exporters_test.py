#!/usr/bin/env python3
"""What the exporters write, beside the examples of the formats' documentation; and measurements taken by ctest itself.

The readers of the others' own programs are asked in consumers_test.py.
"""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

from export import FORMATS, exporter_of
from exporters.units import spelled_out
from for_test import made_up
from reading import BadRecords
from series import of_machine, series_of

EXPORT = Path(__file__).resolve().parent / "export.py"


def exported(name, records, machine=None):
    return exporter_of(name).export(of_machine(series_of(records), machine))


def the_file(name, records):
    ((_, text),) = exported(name, records).files.items()
    return text


class Formats(unittest.TestCase):
    def test_google_benchmark_has_a_row_per_sample(self):
        rows = json.loads(the_file("google-benchmark", [made_up.record()]))["benchmarks"]
        self.assertEqual([row["real_time"] for row in rows], [1.2, 1.25, 1.5])
        self.assertEqual({row["name"] for row in rows}, {"native/step_time/stage=2/ranks=2"})
        self.assertEqual([row["repetition_index"] for row in rows], [0, 1, 2])

    def test_google_benchmark_leaves_out_bytes(self):
        records = [made_up.record(), made_up.record(name="held", unit="byte", direction="equal")]
        self.assertEqual(
            exported("google-benchmark", records).left_out, {"native/held": "its unit is byte, not a time"}
        )

    def test_bencher(self):
        """As in bencher.dev/docs/reference/bencher-metric-format."""
        self.assertEqual(
            json.loads(the_file("bencher", [made_up.record()])),
            {"native/step_time/stage=2/ranks=2": {"seconds": {"value": 1.25, "lower_value": 1.2, "upper_value": 1.5}}},
        )

    def test_github_action_has_a_file_per_direction(self):
        """Rows as in the README of github-action-benchmark: name, unit, value, range, extra."""
        records = [
            made_up.record(name="time"),
            made_up.record(name="speed", direction="bigger", unit="1/s", interval=None, bound=None),
            made_up.record(name="held", direction="equal", unit="byte"),
        ]
        files = exported("github-action-benchmark", records).files
        smaller, bigger = (json.loads(files[f"{name}_is_better.json"]) for name in ("smaller", "bigger"))
        self.assertEqual([row["name"] for row in smaller], ["native/held", "native/time"])
        self.assertEqual([row["name"] for row in bigger], ["native/held", "native/speed"])
        self.assertEqual(smaller[1]["range"], "1.2 to 1.5")
        self.assertIn("bound bytes moved once: 1", smaller[1]["extra"])
        self.assertEqual(bigger[1] | {"extra": ""}, {"name": "native/speed", "unit": "1/s", "value": 1.25, "extra": ""})

    def test_otava_has_a_file_per_series_in_the_order_of_commits(self):
        records = made_up.history([1.0, 2.0]) + made_up.history([7], name="held", direction="equal")
        made = exported("otava", records)
        self.assertEqual(sorted(made.files), ["otava.yaml", "series_0001.csv"])
        rows = [line.split(",")[2] for line in made.files["series_0001.csv"].splitlines()]
        self.assertEqual(rows, ["value", "1.0", "2.0"])
        self.assertIn('"direction": -1', made.files["otava.yaml"])
        self.assertIn("native/held", made.left_out)

    def test_openmetrics(self):
        """As in the specification's example of a gauge with a unit, and an end that is marked."""
        text = the_file("openmetrics", [made_up.record(name='a"b\\c', bound=None)])
        self.assertEqual(
            text.splitlines(),
            [
                "# TYPE zerocts_benchmark_seconds gauge",
                "# UNIT zerocts_benchmark_seconds seconds",
                "# HELP zerocts_benchmark_seconds The newest figure of a benchmark.",
                'zerocts_benchmark_seconds{benchmark="native/a\\"b\\\\c",subject="native",machine="aa11"} 1.25 '
                "1793620800.000",
                "# EOF",
            ],
        )

    def test_ctest_takes_the_measurements(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            text = the_file("dart", [made_up.record(name="a<b"), made_up.record(name="held", unit="byte", value=7)])
            (folder / "measurements.txt").write_text(text)
            (folder / "CTestTestfile.cmake").write_text(
                f'add_test(shows "{sys.executable}" -c "print(open(r\'{folder}/measurements.txt\').read())")\n'
            )
            (folder / "DartConfiguration.tcl").write_text(f"BuildDirectory: {folder}\nSourceDirectory: {folder}\n")
            for step in ("Start", "Test"):
                subprocess.run(["ctest", "-T", step], cwd=folder, check=True, capture_output=True, timeout=60)
            (test_xml,) = folder.glob("Testing/*/Test.xml")
            named = xml.etree.ElementTree.parse(test_xml).iter("NamedMeasurement")
            taken = {one.get("name"): one.findtext("Value") for one in named}
        self.assertEqual(taken["native/a<b (s)"], "1.25")
        self.assertEqual(taken["native/held (byte)"], "7")

    def test_units(self):
        for unit, words in [
            ("s", "seconds"),
            ("byte", "bytes"),
            ("byte/s", "bytes_per_second"),
            ("1/s", "number_per_second"),
        ]:
            self.assertEqual(spelled_out(unit), words)


class Failures(unittest.TestCase):
    def test_a_newest_record_that_failed_has_no_older_figure(self):
        good, bad = made_up.record(name="a"), made_up.failed(name="a", date="2026-11-03T12:00:00Z")
        for name in set(FORMATS) - {"otava"}:
            with self.subTest(name):
                self.assertEqual(exported(name, [good, bad]).files, {})

    def test_one_run_is_of_one_machine(self):
        records = [made_up.record(machine="aa11"), made_up.record(machine="bb22")]
        with self.assertRaisesRegex(BadRecords, "of 2 .aa11, bb22.; choose one with --machine"):
            exported("bencher", records)
        self.assertEqual(len(exported("bencher", records, "bb22").files), 1)
        with self.assertRaisesRegex(BadRecords, "--machine: expected one of aa11, bb22, got cc33"):
            exported("bencher", records, "cc33")


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ended(self, records, to="bencher"):
        path = made_up.write(self.folder / "records.ndjson", records)
        command = [sys.executable, EXPORT, path, "--to", to, "--out", self.folder / "out"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def test_writes_and_names_the_file(self):
        ended = self.ended([made_up.record()])
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertTrue(Path(ended.stdout.strip()).is_file())

    def test_says_which_benchmark_failed(self):
        ended = self.ended([made_up.record(name="good"), made_up.failed(name="bad")])
        self.assertEqual(ended.returncode, 1)
        self.assertIn("native/bad failed on", ended.stderr)
        self.assertEqual(list(json.loads((self.folder / "out/bencher.json").read_text())), ["native/good"])

    def test_nothing_to_write_is_a_mistake(self):
        for records, to in [
            ([made_up.record(unit="byte")], "google-benchmark"),
            ([made_up.failed()], "bencher"),
            ([], "dart"),
        ]:
            with self.subTest(to):
                ended = self.ended(records, to)
                self.assertEqual(ended.returncode, 2)
                self.assertRegex(ended.stderr, "expected (a figure|benchmark records)")
                self.assertNotIn("Traceback", ended.stderr)


if __name__ == "__main__":
    unittest.main()
