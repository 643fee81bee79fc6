#!/usr/bin/env python3
"""A machine that is short of something is said to be: exit code 3 and what helps, never a signal, a verdict or a hang.

usage: limits_test.py ZEROCTS CORPUS [unittest arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ZEROCTS, CORPUS = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).absolute()
IS_SANITIZED = os.environ.pop("ZEROCTS_SANITIZED", None) is not None  # zerocts knows no such variable
HAS_MUTANTS = subprocess.run([ZEROCTS, "mutants", "--list"], capture_output=True, check=False).returncode == 0
PATIENCE = 300  # seconds for one command, on a machine with other work
HARNESS_ERROR, USAGE, TOO_FEW = 3, 2, 6
SMALL = ("check", "C-ZERO-014", "--cases", "1", "--precision", "fp32", "--ranks", "1")

# A mount namespace of its own, in which folder $1 is a file system of size $2 and /proc stays.
TINY = 'mount -t tmpfs -o size="$2" tmpfs "$1" && export TMPDIR="$1" && shift 2 && exec "$@"'
# Fills it once ranks work on a case of the run that logs to $OUT, then waits for what the program says.
FILLED = """"$@" & program=$!
until grep -qs clause_start "$OUT/results.ndjson" && ls "$TMPDIR"/zerocts-*/g*/page0 >/dev/null 2>&1; do
  kill -0 $program 2>/dev/null || break
  sleep 0.01
done
dd if=/dev/zero of="$TMPDIR/filler" bs=4096 2>/dev/null
wait $program"""


def namespace():
    """The command that begins one, or None where this user may not."""
    for flags in (["--mount"], ["--mount", "--map-root-user"]):
        command = ["unshare", *flags, "--propagation", "private"]
        trial = subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
        if trial.returncode == 0:
            return command
    return None


NAMESPACE = namespace()


class OnAShortMachine(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "tmp").mkdir()

    def run_program(self, *command):
        environment = {
            **os.environ,
            "TMPDIR": str(self.folder / "tmp"),
            "OUT": str(self.folder / "run"),
            "XDG_CACHE_HOME": str(self.folder),
        }  # no framework is installed there
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def shell(self, script, *arguments):
        return self.run_program("bash", "-c", script, "bash", *arguments)

    def expect(self, ended, exit_code, *phrases):
        """One sentence of ours on stderr."""
        self.assertEqual(ended.returncode, exit_code, ended.stdout + ended.stderr)
        sentences = [line for line in ended.stderr.splitlines() if line.startswith("zerocts: ")]
        self.assertEqual(len(sentences), 1, ended.stderr)
        for phrase in phrases:
            self.assertIn(phrase, sentences[0])

    # Standard output

    def commands_that_print(self):
        run = self.folder / "run"
        self.assertEqual(self.run_program(ZEROCTS, *SMALL, "--launcher", "threads", "--out", run).returncode, 0)
        self.assertEqual(self.run_program(ZEROCTS, "train", "--steps", "1", "--trace", "a.ndjson").returncode, 0)
        case = next(CORPUS.glob("C-ZERO-001/*.json"))
        return [
            ["--help"],
            ["--version"],
            ["list"],
            ["explain", "C-ZERO-001"],
            ["gpus"],
            *([["mutants", "--list"]] if HAS_MUTANTS else []),
            ["diff", "a.ndjson", "a.ndjson"],
            ["report", run],
            ["train", "--steps", "1"],
            ["replay", case, "--launcher", "threads"],
            ["subjects"],
            [*SMALL, "--launcher", "threads"],
        ]

    def test_a_standard_output_that_takes_nothing(self):
        for arguments in self.commands_that_print():
            with self.subTest(arguments):
                ended = self.shell('"$@" >/dev/full', ZEROCTS, *arguments)
                self.expect(ended, HARNESS_ERROR, "standard output cannot be written")

    def test_no_standard_output(self):
        for arguments in (["--version"], ["list"], SMALL):
            with self.subTest(arguments):
                self.expect(self.shell('"$@" >&-', ZEROCTS, *arguments), HARNESS_ERROR, "standard output is closed")

    # Limits

    def test_hard_limits(self):
        for limit, what in (
            ("-n 16", "open files"),
            ("-n 10", "open files"),
            ("-f 1", "file"),
            ("-s 64", "stack"),
            ("-v 131072", "address space"),
        ):
            if IS_SANITIZED and what == "address space":
                continue  # a sanitizer alone takes more
            with self.subTest(limit):
                ended = self.shell(f'ulimit {limit}; "$@"', ZEROCTS, *SMALL)
                self.expect(ended, HARNESS_ERROR, what, "is too low for a run", f"(ulimit {limit[:2]})")
                self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def test_a_soft_limit_is_no_obstacle(self):
        for limit in ("-Sn 32", "-Ss 64"):
            with self.subTest(limit):
                ended = self.shell(f'ulimit {limit}; "$@"', ZEROCTS, *SMALL)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    # Environments of frameworks

    def test_a_cache_that_cannot_be_written(self):
        ended = self.run_program("env", "XDG_CACHE_HOME=/proc/nowhere", ZEROCTS, *SMALL, "--subject", "torch-zero1")
        self.expect(ended, HARNESS_ERROR, "expected a cache folder that can be written")

    # Folders

    def test_a_current_folder_that_is_gone(self):
        ended = self.shell('mkdir gone && cd gone && rmdir ../gone && "$@" --out "$OUT"', ZEROCTS, *SMALL)
        self.expect(ended, USAGE, "expected a current folder that exists")

    def test_a_report_that_cannot_be_written(self):
        (self.folder / "run" / "junit.xml").mkdir(parents=True)
        ended = self.run_program(ZEROCTS, *SMALL, "--launcher", "threads", "--out", "run")
        self.expect(ended, HARNESS_ERROR, "cannot write run/junit.xml")

    def test_a_trace_on_a_full_disk(self):
        ended = self.run_program(ZEROCTS, "train", "--steps", "1", "--trace", "/dev/full")
        self.expect(ended, HARNESS_ERROR, "cannot write /dev/full: No space left")

    @unittest.skipIf(IS_SANITIZED, "a sanitizer needs /proc, too")
    @unittest.skipUnless(NAMESPACE, "this user may not mount file systems")
    def test_no_proc(self):
        without = 'mount -t tmpfs tmpfs /proc && exec "$@"'
        ended = self.run_program(*NAMESPACE, "sh", "-c", without, "sh", ZEROCTS, *SMALL)
        self.expect(ended, HARNESS_ERROR, "expected /proc to be mounted")

    # A full disk

    def in_tiny_folder(self, size, *command):
        return self.run_program(*NAMESPACE, "sh", "-c", TINY, "sh", self.folder / "tmp", size, *command)

    @unittest.skipUnless(NAMESPACE, "this user may not mount file systems")
    def test_a_temporary_folder_that_is_full_at_the_start(self):
        for size in ("8k", "200k"):
            with self.subTest(size):
                ended = self.in_tiny_folder(size, ZEROCTS, *SMALL)
                self.expect(ended, HARNESS_ERROR, "is full: expected 16777216 free bytes", "set TMPDIR")

    @unittest.skipUnless(NAMESPACE, "this user may not mount file systems")
    def test_a_temporary_folder_that_fills_while_checkpoints_are_saved(self):
        check = [*"check C-ZERO-080 --ranks 2 --launcher local --cases 400 --out".split(), self.folder / "run"]
        ended = self.in_tiny_folder("17m", "bash", "-c", FILLED, "bash", ZEROCTS, *check)
        self.assertEqual(ended.returncode, HARNESS_ERROR, ended.stdout + ended.stderr)
        said = " ".join(ended.stdout.split())
        self.assertIn("is full: expected", said)
        self.assertNotIn("not conformant", said)

    # Files

    def test_a_case_that_is_too_large_is_refused_at_once(self):
        case = json.loads(next(CORPUS.glob("C-ZERO-001/*.json")).read_text())
        for change, phrase in (
            ({"steps": 100000}, "experiment.steps: expected at most 1024"),
            (
                {"parameters": [{"name": f"p{i}", "shape": [1], "group": 0} for i in range(100000)]},
                "experiment.parameters: expected at most 4096",
            ),
        ):
            with self.subTest(phrase):
                changed = {**case, "experiment": {**case["experiment"], **change}}
                (self.folder / "case.json").write_text(json.dumps(changed))
                self.expect(self.run_program(ZEROCTS, "replay", "case.json"), USAGE, phrase)

    def test_traces_that_end_early_are_not_equal(self):
        self.assertEqual(self.run_program(ZEROCTS, "train", "--steps", "3", "--trace", "whole.ndjson").returncode, 0)
        lines = (self.folder / "whole.ndjson").read_text().splitlines(keepends=True)
        (self.folder / "cut.ndjson").write_text("".join(lines[:2]))
        ended = self.run_program(ZEROCTS, "diff", "cut.ndjson", "cut.ndjson")
        self.assertEqual(ended.returncode, TOO_FEW)
        self.assertEqual(
            ended.stdout.splitlines(),
            ["no verdict: A and B end after 1 of 3 steps, and so far both are equal; train again to the end"],
        )
        header = json.loads(lines[0])
        header["experiment"]["parameters"][0]["shape"] = [1]
        (self.folder / "other.ndjson").write_text(json.dumps(header) + "\n" + "".join(lines[1:]))
        ended = self.run_program(ZEROCTS, "diff", "whole.ndjson", "other.ndjson")
        self.expect(ended, USAGE, "expected two traces of one experiment", "shape")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
