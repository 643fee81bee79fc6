#!/usr/bin/env python3
"""compare_experiment.py counts what happened, bounds it exactly, and goes on where it stopped."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("compare_experiment.py")
sys.path.insert(0, str(SCRIPT.parent))

import compare_experiment  # noqa: E402


RECORD = {"value": 1.05, "interval": {"low": 1.04, "high": 1.06}, "samples": [1.04, 1.06]}


class CompareExperimentTest(unittest.TestCase):
    def test_bounds_are_exact(self):
        self.assertAlmostEqual(compare_experiment.upper_bound(0, 400), 1 - 0.05 ** (1 / 400), places=9)
        self.assertAlmostEqual(compare_experiment.upper_bound(1, 10), 0.3941633, places=6)  # tables of Clopper, Pearson
        self.assertEqual(compare_experiment.upper_bound(3, 3), 1)

    def test_goes_on_where_it_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            program, results = Path(folder, "program"), Path(folder, "results.ndjson")
            program.write_text(
                f"#!/bin/sh\n"
                f'echo "$*" | sed "s| --out .*||" >>{folder}/calls\nfor file; do :; done\n'
                f"echo '{json.dumps(RECORD)}' >$file\n"
                f'case "$*" in *slower=5*) exit 1 ;; *) exit 0 ;; esac\n'
            )
            program.chmod(0o755)
            command = [sys.executable, str(SCRIPT), str(program), "p.so", str(results), "--slower", "5", "--each", "2"]
            for same in ("1", "3"):
                ended = subprocess.run(
                    [*command, "--same", same, "--", "--ranks", "2"], capture_output=True, text=True, check=True
                )
            calls = Path(folder, "calls").read_text().splitlines()
            self.assertEqual(len(calls), 5)
            self.assertEqual(calls[0], "compare plugin:p.so plugin:p.so --ranks 2")
            self.assertIn("compare plugin:p.so plugin:p.so,slower=5 --ranks 2", calls)
            codes = [json.loads(line)["exit_code"] for line in results.read_text().splitlines()]
            self.assertEqual(sorted(codes), [0, 0, 0, 1, 1])
            self.assertRegex(ended.stdout, r"0 % +no +3 +0\.000 +0\.000 +0\.632 +0\.000 +0\.000 +2 .* --ranks 2")
            self.assertRegex(ended.stdout, r"5 % +no +2 +1\.000 +0\.224 +1\.000 +0\.000 +1\.000 +2 .* --ranks 2")

    def test_what_is_no_verdict_ends_it(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, str(SCRIPT), "/bin/false", "p.so", f"{folder}/r", "--same", "0", "--each", "1"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(ended.returncode, 0)  # 1 is a verdict
            program = Path(folder, "program")
            program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
            program.chmod(0o755)
            ended = subprocess.run(
                [sys.executable, str(SCRIPT), str(program), "p.so", f"{folder}/s"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertIn("exit code 3: broken", ended.stderr)
            self.assertFalse(Path(folder, "s").exists())


if __name__ == "__main__":
    unittest.main()
