#!/usr/bin/env python3
"""zerocts_add_benchmarks in projects that found an installed zerocts: the one that the README prints, and one whose
baseline is chosen so that every end of the gate is seen. No time is judged.

usage: installed_test.py PREFIX CONSUMER_BUILD SOURCE_DIR      CONSUMER_BUILD: of conformance/meta_tests/consumer
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PATIENCE = 300
TEST, GATE = "benchmark.my_zero", "benchmark.my_zero.gate"


def run(*command, expected=0):
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
    )
    if ended.returncode != expected:
        raise AssertionError(f"exit {ended.returncode}: {command}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def ctest(build, *arguments, expected=0):
    return run("ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure", *arguments, expected=expected)


class InstalledBenchmarks(unittest.TestCase):
    def test_the_example_of_the_readme_runs_as_it_is_printed(self):
        (printed,) = re.findall(
            r"^```cmake\n(.*?)^```$", (SOURCE / "bench/README.md").read_text(), re.MULTILINE | re.DOTALL
        )
        with tempfile.TemporaryDirectory() as scratch:
            project, build = Path(scratch, "project"), Path(scratch, "project", "build")
            project.mkdir()
            (project / "CMakeLists.txt").write_text(printed)
            plugin = (SOURCE / "conformance/specimen/minimal.c").read_bytes()
            for name in ("my_zero.c", "released_zero.c"):
                (project / name).write_bytes(plugin)
            run("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={PREFIX}")
            run("cmake", "--build", build)
            said = subprocess.run(
                ["ctest", "--test-dir", build, "--label-regex", "benchmark", "-V"],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            ).stdout
            self.assertRegex(said, rf"{re.escape(TEST)} \.+ +Passed")
            self.assertRegex(said, rf"{re.escape(GATE)} \.+ *(Passed|\*\*\*Skipped|\*\*\*Failed)", said)  # by its times
            self.assertRegex(said, r"(same|faster|too noisy|REGRESSION)")
            self.assertIn("figures of bytes and counts are equal", said)

    def test_figures_reach_ctest_and_records_are_kept(self):
        records = BUILD / "zerocts-results" / TEST / "records.ndjson"
        before = len(records.read_text().splitlines()) if records.exists() else 0
        ctest(BUILD, "-R", f"^{TEST}$", "-D", "ExperimentalTest", "--no-compress-output")
        (result,) = BUILD.glob(f"Testing/{(BUILD / 'Testing/TAG').read_text().splitlines()[0]}/Test.xml")
        self.assertIn('<NamedMeasurement type="numeric/double" name="plugin:libmy_zero/step_time/', result.read_text())
        newest = (records.parent / "newest.ndjson").read_text()
        self.assertEqual(len(records.read_text().splitlines()), before + len(newest.splitlines()))
        self.assertTrue(records.read_text().endswith(newest))

    def gated(self, change, expected=0):
        """What ctest says where the baseline is a run of this plugin whose records were changed."""
        ctest(BUILD, "-R", f"^{TEST}$")
        newest = (BUILD / "zerocts-results" / TEST / "newest.ndjson").read_text().splitlines()
        baseline = [record for record in map(json.loads, newest) if change(record)]
        (CONSUMER / "baseline.ndjson").write_text("".join(json.dumps(record) + "\n" for record in baseline))
        said = ctest(BUILD, "-R", f"^{GATE}$", expected=expected)
        return said

    def test_equal_counts_pass_and_others_fail(self):
        def is_count(record):
            return record["direction"] == "equal"

        def is_count_of_one_more(record):
            record["value"] += record["name"].startswith("sent_bytes/")
            return is_count(record)

        self.assertRegex(self.gated(is_count), rf"{re.escape(GATE)} \.+ +Passed")
        self.assertRegex(self.gated(is_count_of_one_more, expected=8), r"\*\*\*Failed")

    def test_what_is_too_noisy_to_say_is_skipped(self):
        def is_noise(record):
            if record["name"].startswith("step_time/") and record["subject"] != "bound":
                record["samples"] = [record["value"] * factor for factor in (0.01, 0.1, 10, 100)]
                return True
            return False

        self.assertRegex(self.gated(is_noise), r"\*\*\*Skipped")

    def test_without_a_baseline_the_gate_fails(self):
        (CONSUMER / "baseline.ndjson").unlink(missing_ok=True)
        self.assertRegex(ctest(BUILD, "-R", f"^{GATE}$", expected=8), r"\*\*\*Failed")

    def test_too_few_gpus_are_skipped(self):
        said = ctest(BUILD, "-R", "^benchmark.on_1000_gpus", "-V")
        self.assertEqual(len(re.findall(r"\*\*\*Skipped", said)), 2, said)
        self.assertIn("not run:", said)

    def test_ctest_gives_gpus(self):
        """GPUs that are made up: the plugin computes on the CPU."""
        for count, end, expected in ((2, "Passed", 0), (1, r"\*\*\*Not Run", 8)):
            slots = [{"id": str(gpu), "slots": 1} for gpu in range(count)]
            file = BUILD / "gpus.json"
            file.write_text(json.dumps({"version": {"major": 1, "minor": 0}, "local": [{"gpus": slots}]}))
            said = ctest(BUILD, "-R", "^benchmark.on_2_gpus$", "--resource-spec-file", file, expected=expected)
            self.assertRegex(said, rf"benchmark.on_2_gpus \.+ *{end}")

    def test_labels_tell_what_a_test_needs(self):
        tests = json.loads(run("ctest", "--test-dir", BUILD, "--show-only=json-v1"))["tests"]
        told = {test["name"]: {one["name"]: one["value"] for one in test["properties"]} for test in tests}
        self.assertEqual(told[TEST]["LABELS"], ["benchmark", "cpu"])
        self.assertEqual(told[GATE]["RUN_SERIAL"], True)
        for name in ("benchmark.on_1000_gpus", "benchmark.on_1000_gpus.gate"):
            self.assertEqual(told[name]["LABELS"], ["benchmark", "gpu", "multi-gpu"])
            self.assertNotIn("RUN_SERIAL", told[name])


if __name__ == "__main__":
    PREFIX, BUILD, SOURCE = (Path(word).resolve() for word in sys.argv[1:4])
    CONSUMER = BUILD.parent / "consumer"
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
