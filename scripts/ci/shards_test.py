#!/usr/bin/env python3
"""Shards, their merge, and retries, with a stand-in for zerocts that lists six clauses and reports what a file says.

usage: shards_test.py [ZEROCTS] [unittest arguments]      with the program itself, two shards of it are merged too
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ZEROCTS = None
STAND_IN = """#!/bin/sh
case $1 in
  list) [ -z "$2" ] || { echo "zerocts: expected a clause id or a family, got '$2'" >&2; exit 2; }
        echo 'clause      family'; for n in 1 2 3 4 5 6; do echo "C-ZERO-00$n  ownership"; done ;;
  report) echo reported; exit "$(cat "$(dirname "$2")/exit_code")" ;;
esac
"""


class Shards(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.zerocts = self.folder / "zerocts"
        self.zerocts.write_text(STAND_IN)
        self.zerocts.chmod(0o755)

    def shards(self, *arguments):
        command = [sys.executable, HERE / "shards.py", *arguments, "--zerocts", self.zerocts]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, check=False)

    def clauses(self, shard):
        index, count = map(int, shard.split("/"))
        return [f"C-ZERO-00{n}" for n in range(1, 7)][index - 1 :: count]

    def ran(self, shard, exit_code=0, **changes):
        folder = self.folder / "results" / shard.replace("/", "-of-")
        folder.mkdir(parents=True)
        begin = {"record": "run", "seed": 1, "tier": "smoke", "cases_per_clause": 8, "version": "0.1.0"}
        begin |= {"clauses": self.clauses(shard), "subject": {"name": "native"}} | changes
        (folder / "results.ndjson").write_text(json.dumps(begin) + "\n")
        (folder / "exit_code").write_text(str(exit_code))
        return folder

    def merged(self, shards=2):
        return self.shards("merge", self.folder / "results", "--shards", shards)

    def test_no_number_of_shards(self):
        for count in ("0", "-1", "two"):
            self.assertEqual(self.merged(count).returncode, 2, count)

    def test_whole(self):
        self.ran("1/2")
        self.ran("2/2")
        ended = self.merged()
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_the_gravest_exit_code_counts(self):
        self.ran("1/2", 77)
        self.ran("2/2", 0)
        self.assertEqual(self.merged().returncode, 0)
        for exit_code in (6, 5, 4, 1, 3):
            (self.folder / "results/2-of-2/exit_code").write_text(str(exit_code))
            self.assertEqual(self.merged().returncode, exit_code)

    def test_a_report_that_crashes_or_refuses_is_an_error_of_the_harness(self):
        self.ran("1/2")
        self.ran("2/2", 139)
        self.assertEqual(self.merged().returncode, 3)
        (self.folder / "results/2-of-2/exit_code").write_text("2")
        self.assertEqual(self.merged().returncode, 3)

    def test_a_lost_shard_is_too_few(self):
        self.ran("1/2")
        ended = self.merged()
        self.assertEqual(ended.returncode, 6)
        self.assertIn("expected the results of 2 shards, got 1", ended.stderr)
        self.ran("2/2", 1)
        self.assertEqual(self.merged(3).returncode, 1)

    def test_none_at_all(self):
        (self.folder / "results").mkdir()
        self.assertEqual(self.merged().returncode, 6)

    def test_clauses_that_nobody_asked(self):
        self.ran("1/2")
        self.ran("2/2", clauses=["C-ZERO-001"])
        ended = self.merged()
        self.assertEqual(ended.returncode, 6)
        self.assertIn("got none with C-ZERO-002, C-ZERO-004, C-ZERO-006", ended.stderr)

    def test_shards_of_several_checks(self):
        self.ran("1/2")
        second = self.ran("2/2", seed=2)
        self.assertIn("seed is 1 and 2", self.merged().stderr)
        for text in ("", "{", "[]", '{"record": "end"}'):
            (second / "results.ndjson").write_text(text)
            ended = self.merged()
            self.assertEqual(ended.returncode, 6)
            self.assertNotIn("Traceback", ended.stderr)

    def test_the_program_itself(self):
        if ZEROCTS is None:
            self.skipTest("no program was given")
        self.zerocts = ZEROCTS
        for shard in ("1/2", "2/2"):
            out = self.folder / "results" / shard[0]
            options = f"--shard {shard} --ranks 1,2 --cases 2 --tier smoke".split()
            command = [ZEROCTS, "check", "ownership", *options, "--out", out]
            ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=500, check=False)
            self.assertIn(ended.returncode, (0, 6), ended.stdout + ended.stderr)
        whole = self.shards("merge", self.folder / "results", "ownership", "--shards", 2)
        self.assertEqual(whole.stderr, "")
        lost = self.shards("merge", self.folder / "results/1", "ownership", "--shards", 2)
        self.assertIn("a shard is lost", lost.stderr)
        self.assertEqual(lost.returncode, 6)


CHECKS = """#!/bin/sh
case $1 in
  check) echo "$*" >>"$RUNS"; for word; do out=$word; done; mkdir -p "$out"
         exit "$(sed -n "$(wc -l <"$RUNS")p" "$CODES")" ;;
esac
"""


class CheckShard(unittest.TestCase):
    """A stand-in for zerocts ends its runs with the codes that a file lists."""

    def checked(self, *codes):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "zerocts").write_text(CHECKS)
            (folder / "zerocts").chmod(0o755)
            (folder / "codes").write_text("".join(f"{code}\n" for code in codes))
            environment = os.environ | {"RUNS": str(folder / "runs"), "CODES": str(folder / "codes")}
            command = [HERE / "check_shard", "2/2", folder / "zerocts", "plugin:a b.so", folder / "out", "--seed", "7"]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
            runs = (folder / "runs").read_text().splitlines()
            self.assertIn("check --seed 7 --shard 2/2 --subject plugin:a b.so --out", runs[0])
            outs = [run.split("--out ")[1] for run in runs]
            self.assertEqual((outs[0], len(set(outs))), (str(folder / "out"), len(outs)))
            return ended.returncode, len(runs), "flaky" in ended.stderr

    def test_exit_codes(self):
        self.assertEqual(self.checked(0), (0, 1, False))
        self.assertEqual(self.checked(77), (0, 1, False))
        self.assertEqual(self.checked(1, 1), (1, 2, False))
        self.assertEqual(self.checked(4, 0), (4, 2, True))


class Retry(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def retry(self, retries, script):
        """`script` knows as $n which run it is."""
        counted = f"echo x >>{self.folder}/runs; n=$(wc -l <{self.folder}/runs); {script}"
        environment = os.environ | {"RETRY_LOG": str(self.folder / "flaky")}
        command = [HERE / "retry", *retries, "sh", "-c", counted]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
        runs = self.folder / "runs"
        return ended.returncode, len(runs.read_text().split()) if runs.exists() else 0

    def test_a_pass_is_run_once(self):
        self.assertEqual(self.retry("3", "exit 0"), (0, 1))

    def test_flaky_is_no_pass(self):
        self.assertEqual(self.retry("3", "[ $n -ge 3 ] || exit 4"), (4, 3))
        self.assertTrue((self.folder / "flaky").read_text().startswith("4\t3\t"))

    def test_what_fails_always_keeps_its_exit_code(self):
        self.assertEqual(self.retry("2", "exit $n"), (1, 3))
        self.assertFalse((self.folder / "flaky").exists())

    def test_mistakes(self):
        for retries in ("", "x", "-1"):
            self.assertEqual(self.retry([retries], "exit 0"), (2, 0))


if __name__ == "__main__":
    if sys.argv[1:] and not sys.argv[1].startswith("-") and Path(sys.argv[1]).exists():
        ZEROCTS = sys.argv.pop(1)
    unittest.main()
