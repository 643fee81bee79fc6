#!/usr/bin/env python3
"""Runs that end before all is judged, and ranks that all end in one way: what zerocts check then says.

usage: stops_test.py ZEROCTS FAULTY_PLUGIN
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from campaign.processes import marked, waited_for

ZEROCTS, FAULTY = sys.argv[1:3]
PATIENCE = 200
INTERRUPTED, CRASH_OR_HANG, NOT_CONFORMANT = 130, 4, 1
SMOKE = ("--tier", "smoke", "--launcher", "local", "--out", "run")


class Stops(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.mark = uuid.uuid4().hex

    def start(self, *words):
        return subprocess.Popen(
            [ZEROCTS, *words],
            cwd=self.folder,
            env=os.environ | {"MARK_OF_THE_TEST": self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def ended(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(waited_for(lambda: not marked(self.mark), 5), True, marked(self.mark))
        return process.returncode, out, err

    def records(self, kind):
        log = self.folder / "run/results.ndjson"
        lines = log.read_text().splitlines() if log.exists() else []
        records = [json.loads(line) for line in lines if line.endswith("}")]
        return [record for record in records if record["record"] == kind]

    def faulty(self, fault, *words):
        options = ("--option", f"fault={fault}", "--deadline", "1")
        return self.ended(self.start("check", "--subject", f"plugin:{FAULTY}", *options, *SMOKE, *words))

    def interrupted(self, number, process, seconds):
        start = time.monotonic()
        os.killpg(process.pid, number)  # as a terminal does
        code, out, err = self.ended(process)
        self.assertLess(time.monotonic() - start, seconds)
        self.assertEqual(code, INTERRUPTED, out + err)
        return out

    def not_run(self):
        return {
            record["clause"]
            for record in self.records("configuration")
            if record["reason"].startswith("not run: 3 cases in a row hung in step: misbehave, hang")
        }


class Hangs(Stops):
    def test_three_at_one_place_end_the_run(self):
        code, out, err = self.faulty("hang", "--ranks", "2")
        self.assertEqual(code, CRASH_OR_HANG, out + err)
        self.assertRegex(err, r"first hang: C-ZERO-\d+ under local W=2 fp32: rank 1 did not answer")
        self.assertEqual(len(self.records("failure")), 3)
        self.assertGreater(len(self.not_run()), 9)
        self.assertRegex(
            out,
            r"\nNot run:\n  3 cases in a row hung in step: misbehave, hang \(--no-stop goes on\)\s+\(\d\d clauses\)",
        )
        self.assertEqual(len(self.records("clause_end")), self.records("run")[0]["suite_clauses"])
        for file, words in (
            ("report.html", "not run: 3 cases in a row hung"),
            ("junit.xml", '<skipped message="not run: 3 cases in a row hung'),
            ("ctrf.json", '"rawStatus": "not_run"'),
        ):
            self.ended(self.start("report", "run", "--ctrf", "run/ctrf.json"))
            self.assertIn(words, (self.folder / "run" / file).read_text())

    def test_a_wrong_value_before_is_the_worse(self):
        code, out, err = self.faulty("hang", "--ranks", "1,2")
        self.assertEqual(code, NOT_CONFORMANT, out + err)
        self.assertGreater(len(self.not_run()), 9)

    def test_no_stop_goes_on(self):
        code, out, err = self.faulty("hang", "--ranks", "2", "--no-stop", "--no-shrink", "ownership", "step")
        self.assertEqual(code, CRASH_OR_HANG, out + err)
        self.assertGreater(len(self.records("failure")), 3)
        self.assertEqual(self.not_run(), set())


def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import zmq, numpy"], capture_output=True, check=False).returncode == 0:
            return python
    return None


RANK = """\
import sys
sys.path[:0] = ["{adapters}", "{adapters}/examples"]
import zerocts_rank
run, zerocts_rank.run = zerocts_rank.run, lambda subject: None
from home_made_zero1 import HomeMadeZero1
class Mine(HomeMadeZero1):
    version = "2.13.0+cpu"
{body}
run(Mine())
"""
RAISES = """\
    def step(self, step):
        raise IndexError(f"no bucket {step + self.host.rank}")
"""
RAISES_THEN_HANGS = """\
    def step(self, step):
        cases = open(f"cases{self.host.rank}", "a")
        if cases.tell() < 3:
            cases.write("1")
            cases.close()
            raise IndexError("no bucket")
        open("hangs", "w")
        __import__("time").sleep(1000)
"""
RAISES_WITHOUT_MPIRUN = """\
    def step(self, step):
        if "OMPI_COMM_WORLD_RANK" not in __import__("os").environ:
            raise KeyError("OMPI_COMM_WORLD_RANK")
        super().step(step)
"""
FAILS_AS_TORCH = """\
    capabilities = HomeMadeZero1.capabilities | {"clip": True}

    def open(self, case, initial, host):
        raise RuntimeError("linalg.vector_norm cannot compute the inf norm on an empty tensor")
"""


@unittest.skipIf(python_with_numpy() is None, "expected a Python with zmq and numpy, got none")
class InPython(Stops):
    def started(self, body, *words):
        adapters = Path(__file__).resolve().parents[1] / "adapters"
        (self.folder / "my_rank.py").write_text(RANK.format(adapters=adapters, body=body))
        subject = f"exec:exec {python_with_numpy()} my_rank.py"
        return self.start("check", "--subject", subject, *words)

    def check(self, body, *words):
        return self.ended(self.started(body, *words))


class Interrupts(InPython):
    def test_between_cases_it_says_what_was_judged(self):
        for launcher in ("local", "mpirun") if shutil.which("mpirun") else ("local",):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(launcher=launcher, number=number):
                    process = self.started("    pass", "--launcher", launcher, "--tier", "smoke", "--out", "run")
                    self.assertTrue(waited_for(lambda: self.records("clause_end"), 120))
                    out = self.interrupted(number, process, 60)
                    self.assertIn(f"interrupted by {number.name}; so far nothing failed".lower(), out.lower())
                    self.assertIn("\nresults: run/results.ndjson", out)
                    code, again, _ = self.ended(self.start("report", "run"))
                    self.assertEqual(code, INTERRUPTED)
                    self.assertIn(f"interrupted by {number.name}".lower(), again.lower())
                    (self.folder / "run/results.ndjson").unlink()

    def test_in_a_hang_it_says_what_failed_so_far(self):
        process = self.started(RAISES_THEN_HANGS, *SMOKE, "--ranks", "2", "--no-shrink", "--deadline", "200")
        self.assertTrue(waited_for(lambda: self.records("run"), 120))
        self.assertTrue(waited_for((self.folder / "hangs").exists, 120))
        out = self.interrupted(signal.SIGINT, process, 60)
        self.assertIn("so far not conformant", out.lower())
        self.assertIn("C-ZERO-001 under local W=2 fp32: refused", out)
        self.assertRegex(out, r"\nNot run:\n  interrupted by SIGINT\s+\(\d\d clauses\)")

    def test_before_the_first_case_it_says_so(self):
        process = self.started('    __import__("time").sleep(1000)', *SMOKE, "--ranks", "2")
        time.sleep(3)
        os.killpg(process.pid, signal.SIGTERM)
        code, out, err = self.ended(process)
        self.assertEqual(code, INTERRUPTED, out + err)
        self.assertIn("interrupted by SIGTERM before there was a verdict", err)


class Exceptions(InPython):
    def test_one_everywhere_is_one_line_with_the_subjects_own(self):
        code, out, err = self.check(RAISES, *SMOKE, "--ranks", "2", "--no-shrink")
        self.assertEqual(code, NOT_CONFORMANT, out + err)
        said = " ".join(out.split())
        words = "failing clauses: the subject raised IndexError: no bucket N (my_rank.py:N, in step)"
        self.assertRegex(said, r"(\d\d) of \1 " + re.escape(words).replace("N", r"\d+"))
        first = out.index("IndexError", out.index("Diagnosis:") + 200)
        self.assertNotIn("C-ZERO-110", out[:first])
        self.assertEqual(out.count("replay  "), 1, out)
        self.assertGreater(len(self.records("failure")), 10)

    def test_results_of_two_subjects_lie_apart(self):
        for name in ("a", "b"):
            (self.folder / name).mkdir()
            (self.folder / name / "toy.so").symlink_to(FAULTY)
            words = ("--subject", f"plugin:{name}/toy.so", "--ranks", "2", "--tier", "smoke", "C-ZERO-001")
            self.ended(self.start("check", *words, "--launcher", "threads"))
        self.check(RAISES, "--ranks", "2", "--launcher", "local", "--tier", "smoke", "C-ZERO-001", "--no-shrink")
        folders = sorted(path.name for path in (self.folder / "zerocts-results").iterdir())
        self.assertEqual((len(folders), folders[1:]), (3, ["faulty-seed-1", "my_rank.py-seed-1"]), folders)
        self.assertRegex(folders[0], "faulty-[0-9a-f]{8}-seed-1")

    def test_a_known_failure_of_a_framework_is_named_and_excused_on_request(self):
        words = ("C-ZERO-033", *SMOKE, "--ranks", "2", "--no-shrink")
        code, out, err = self.check(FAILS_AS_TORCH, *words)
        self.assertEqual(code, NOT_CONFORMANT, out + err)
        self.assertIn("torch-fsdp2 fails so since 2026-11-22", out)
        self.assertIn("--expect torch-fsdp2 excuses it", " ".join(out.split()))
        code, out, err = self.check(FAILS_AS_TORCH, *words, "--expect", "torch-fsdp2")
        self.assertEqual(code, 0, out + err)
        self.assertIn("conformant with 1 exception known of torch-fsdp2", out.lower())
        self.assertIn("cannot compute the inf norm on an empty tensor", out)


@unittest.skipIf(shutil.which("mpirun") is None, "expected mpirun, got none")
class Launchers(InPython):
    def test_one_that_fails_alone_is_said(self):
        words = ("ownership", "--tier", "smoke", "--out", "run", "--ranks", "2", "--no-shrink")
        code, out, err = self.check(RAISES_WITHOUT_MPIRUN, *words, "--launcher", "local,mpirun")
        self.assertEqual(code, NOT_CONFORMANT, out + err)
        self.assertRegex(" ".join(out.split()), r"all \d clauses that ran under local failed, under mpirun all passed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
