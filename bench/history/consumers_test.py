#!/usr/bin/env python3
"""What the exporters write, read by the programs for which it is: Google Benchmark's compare.py, Otava, Prometheus.

exit 77: a reader cannot be had here (no package index, or Debian's libbenchmark-tools is not installed)
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from export import exporter_of
from for_test import made_up
from series import series_of
from tools import Unavailable, python_with

HISTORY = Path(__file__).resolve().parent / "history.py"
COMPARE = Path("/usr/share/benchmark/compare.py")
READ_OPENMETRICS = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = text_string_to_metric_families(sys.stdin.read())
print(json.dumps({s.name + "/" + s.labels["benchmark"]: s.value for f in families for s in f.samples}))
"""
PYTHON = None


def write_files(folder, name, records):
    folder.mkdir(exist_ok=True)
    for file, text in exporter_of(name).export(series_of(records)).files.items():
        (folder / file).write_text(text)
    return folder


def answer_of(*command, **options):
    ended = subprocess.run([PYTHON, *command], capture_output=True, text=True, timeout=300, check=False, **options)
    if ended.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {ended.returncode}: {ended.stderr[-2000:]}")
    return ended.stdout


class Readers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_compare_py_sees_a_slow_down(self):
        def run(name, factor):
            samples = [factor * (1 + 0.001 * place) for place in range(12)]
            records = [made_up.record(name="time", value=samples[6], samples=samples, unit="ms")]
            return write_files(self.folder / name, "google-benchmark", records) / "google_benchmark.json"

        result = self.folder / "compared.json"
        answer_of(COMPARE, "--dump_to_json", result, "benchmarks", run("a", 1.0), run("b", 1.5))
        compared = {row["name"]: row for row in json.loads(result.read_text())}
        (change,) = {round(row["time"], 6) for row in compared["native/time"]["measurements"]}
        self.assertEqual(change, 0.5)
        self.assertLess(compared["native/time"]["utest"]["time_pvalue"], 0.001)

    def test_otava_sees_a_regression_where_it_was_planted(self):
        values = [1 + 0.01 * (day * 7 % 5) for day in range(40)]
        slower = [value * (1.2 if day >= 25 else 1) for day, value in enumerate(values)]
        records = made_up.history(slower, name="slower") + made_up.history(values, name="same")
        folder = write_files(self.folder / "otava", "otava", records)
        found = self.otava(folder, "native/slower on aa11")
        self.assertEqual([change["attributes"]["commit"] for change in found], [made_up.commit_id(25)])
        self.assertEqual(self.otava(folder, "native/same on aa11"), [])

    def otava(self, folder, test):
        options = ["--since", "2020-01-01", "--config-file", "otava.yaml"]
        said = answer_of("-m", "otava.main", "analyze", test, "--output", "json", *options, cwd=folder)
        return json.loads(said)[test]

    def test_history_has_both_votes(self):
        values = [1 + 0.01 * (day * 7 % 5) for day in range(40)]
        slower = [value * (1.2 if day >= 25 else 1) for day, value in enumerate(values)]
        records = made_up.history(slower, name="slower") + [made_up.failed(name="crashed")]
        path, page = made_up.write(self.folder / "records.ndjson", records), self.folder / "page.html"
        command = [sys.executable, HISTORY, path, "--page", page]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        line = f"worse: native/slower +20 % since {made_up.commit_id(25)[:12]} (Otava and segments)"
        self.assertEqual(ended.stdout.splitlines()[:-1], [line])

    def test_prometheus_reads_every_figure(self):
        records = [
            made_up.record(name='a "b" \\c'),
            made_up.record(name="held", unit="byte", direction="equal", value=7),
        ]
        folder = write_files(self.folder / "metrics", "openmetrics", records)
        read = json.loads(answer_of("-c", READ_OPENMETRICS, input=(folder / "openmetrics.txt").read_text()))
        self.assertEqual(read['zerocts_benchmark_seconds/native/a "b" \\c'], 1.25)
        self.assertEqual(read["zerocts_benchmark_bytes/native/held"], 7)
        self.assertEqual(read["zerocts_benchmark_bound_bytes/native/held"], 1)


if __name__ == "__main__":
    try:
        PYTHON = python_with("readers-of-figures")
    except Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    if not COMPARE.is_file():
        print(f"skipped: expected {COMPARE}, got no such file; install Debian's libbenchmark-tools")
        sys.exit(77)
    unittest.main()
