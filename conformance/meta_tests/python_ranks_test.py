#!/usr/bin/env python3
"""Whatever a rank in Python does wrong, zerocts check says what it was, within its deadline, and leaves no process
behind.
usage: python_ranks_test.py ZEROCTS"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from campaign.processes import left_in_shared_memory, marked, shared_memory

HERE = Path(__file__).resolve().parent
SKIPPED = 77
DEADLINE = 4  # seconds, of a case
PATIENCE = 300  # seconds, of a whole check on a machine with other work


def python_with_zmq():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import zmq"], capture_output=True, check=False).returncode == 0:
            return python
    print("skipped: expected a Python with pyzmq, got none; install Debian's python3-zmq")
    sys.exit(SKIPPED)


class Ended:
    def __init__(self, command):
        self.mark = uuid.uuid4().hex
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            ended = subprocess.run(
                [*command, "--out", folder + "/out"],
                env={**os.environ, "MARK_OF_THE_TEST": self.mark},
                cwd=folder,
                text=True,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
            self.seconds = time.monotonic() - start
            self.exit_code, self.output, self.error = ended.returncode, ended.stdout, ended.stderr
            log = Path(folder, "out", "results.ndjson")
            self.records = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def of(self, kind):
        return [record for record in self.records if record["record"] == kind]


class PythonRanks(unittest.TestCase):
    def check(self, subject, *arguments):
        before = shared_memory()
        small = f"--cases 1 --precision fp32 --no-shrink --deadline {DEADLINE}".split()
        ended = Ended([ZEROCTS, "check", "C-ZERO-001", "--subject", subject, *small, *arguments])
        self.assertEqual(marked(ended.mark), {})
        self.assertEqual(left_in_shared_memory(before), [])
        return ended

    def rank(self, behaviour, file="faulty_rank.py"):
        return f"exec:exec {PYTHON} {HERE}/{file} {behaviour}"

    def expect(self, ended, result, exit_code, *words):
        text = ended.output + ended.error
        self.assertEqual([record["result"] for record in ended.of("configuration")], [result], text)
        self.assertEqual(ended.exit_code, exit_code, text)
        for word in words:
            self.assertIn(word, text)

    def test_faults_in_a_case(self):
        table = {
            "raise": ("crash", 4, "rank 1 exited with 1", "RuntimeError: rank 1 cannot do the step"),
            "raise_all": ("crash", 4, "exited with 1", "RuntimeError: rank"),
            "unsupported_all": ("refused", 1, "refused what it declares: I do not like it"),
            "exit": ("early_exit", 4, "rank 1 exited with 0"),
            "hang": ("hang", 4, "rank 1: pid"),
            "wrong_shape": ("garbage", 1, "rank 1 sent what the protocol does not know"),
            "wrong_dtype": ("garbage", 1, "rank 1 sent what the protocol does not know"),
            "not_json": ("garbage", 1, "expected a JSON object as header"),
        }
        for behaviour, expected in table.items():
            with self.subTest(behaviour):
                ended = self.check(self.rank(behaviour), "--ranks", "2", "--launcher", "local")
                self.expect(ended, *expected)

    def foreign_process(self):
        """Starts a process of the test's own, known to faulty ranks by FOREIGN_PID."""
        foreign = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        self.addCleanup(foreign.wait)
        self.addCleanup(foreign.kill)
        self.enterContext(unittest.mock.patch.dict(os.environ, FOREIGN_PID=str(foreign.pid)))
        return foreign

    def test_the_end_of_another_process_is_not_that_of_a_rank(self):
        self.foreign_process()
        ended = self.check(self.of_all_ranks("{world_size}", "foreign_pid"), "--ranks", "3")
        self.expect(
            ended, "garbage", 1, "rank 1 sent what the protocol does not know", "which zerocts cannot watch from here"
        )

    def test_a_rank_that_names_another_process_does_not_get_it_killed(self):
        foreign = self.foreign_process()
        ended = self.check(self.rank("shims_message"), "--ranks", "2", "--launcher", "local")
        self.expect(
            ended,
            "garbage",
            1,
            'rank 1 sent what the protocol does not know: expected a message of a rank, got the type "started"',
        )
        self.assertIsNone(foreign.poll())

    def test_strangers_change_no_verdict(self):
        ended = self.check(self.rank("strangers"), "--ranks", "2", "--launcher", "local")
        self.expect(ended, "early_exit", 4, "rank 1 exited with 0")
        self.assertRegex(ended.error, r"zerocts: turned \d+ strangers away from the sockets of the ranks")

    def test_faults_before_the_first_case(self):
        table = {
            "import_error": (4, "ModuleNotFoundError: No module named 'framework_that_is_not_installed'"),
            "other_protocol": (2, "expected protocol version 1, got 7"),
        }
        for behaviour, (exit_code, words) in table.items():
            with self.subTest(behaviour):
                ended = self.check(self.rank(behaviour), "--ranks", "2", "--launcher", "local")
                self.assertEqual(ended.exit_code, exit_code, ended.error)
                self.assertIn(words, ended.error)
                self.assertEqual(ended.error.count("\n"), 1, ended.error)

    def test_faults_after_the_last_case(self):
        of_rank, of_all = (
            "after the last case rank 1 ",
            "ended with the command that started all ranks, which exited with",
        )
        ends = {
            ("abort", "local"): ("crash", of_rank + "was killed by signal 6 (SIGABRT), it stood in shutdown"),
            ("raise", "local"): ("crash", of_rank + "exited with 1, it stood in shutdown"),
            ("hang", "local"): ("hang", of_rank + "did not end within 2 s; rank 1: pid"),
            ("abort", "command"): ("crash", of_all),
            ("hang", "command"): ("hang", of_rank + "did not end within 2 s; rank 1: pid"),
            ("none", "local"): None,
            ("none", "command"): None,
        }

        def run(behaviour, launcher):
            of_launcher = {
                "local": self.rank(behaviour, "ends_badly.py"),
                "command": self.of_all_ranks("{world_size}", behaviour, "ends_badly.py"),
            }
            return self.check(of_launcher[launcher], "--ranks", "2", "--launcher", launcher, "--shutdown-deadline", "2")

        with ThreadPoolExecutor(len(ends)) as beside_each_other:
            runs = {place: beside_each_other.submit(run, *place) for place in ends}
        for place, expected in ends.items():
            with self.subTest(place):
                ended = runs[place].result()
                self.assertEqual(
                    [(end["phase"], end["result"]) for end in ended.of("group_end")],
                    [("shutdown", expected[0])] if expected else [],
                )
                self.assertEqual(ended.of("configuration")[0]["result"], "pass", ended.output)
                if expected:
                    self.assertIn(expected[1], ended.of("group_end")[0]["sentence"])
                    self.assertEqual(ended.exit_code, 4, ended.output)

    def of_all_ranks(self, world_size, behaviour, file="faulty_rank.py"):
        return f"exec:exec {PYTHON} {HERE}/start_ranks.py {world_size} {HERE}/{file} {behaviour}"

    def test_one_command_for_all_ranks(self):
        table = {
            "raise": ("crash", 4, "RuntimeError: rank 1 cannot do the step"),
            "hang": ("hang", 4, "rank 1: pid"),
            "wrong_shape": ("garbage", 1, "rank 1 sent what the protocol does not know"),
        }
        for behaviour, expected in table.items():
            with self.subTest(behaviour):
                ended = self.check(self.of_all_ranks("{world_size}", behaviour), "--ranks", "3")
                self.expect(ended, *expected)
                self.assertEqual(ended.of("run")[0]["launchers"], ["command"])

    def test_command_of_one_world_size(self):
        one_too_many = 'of 3, expected rank|below 2, got "rank-2"'  # by who says hello first
        for world_size, exit_code, words in (("3", 1, "rank 1 sent what"), ("2", 2, one_too_many)):
            with self.subTest(world_size):
                ended = self.check(self.of_all_ranks(3, "wrong_shape"), "--launcher", "command", "--ranks", world_size)
                self.assertEqual(ended.exit_code, exit_code, ended.error + ended.output)
                self.assertRegex(ended.error + ended.output, words)
        for arguments in ((), ("--ranks", "2,3")):
            ended = self.check(self.of_all_ranks(3, "hang"), "--launcher", "command", *arguments)
            self.assertEqual(ended.exit_code, 2)
            self.assertIn("expected {world_size} in the command, or --ranks", ended.error)
        ended = self.check("native", "--launcher", "command")
        self.assertEqual(ended.exit_code, 2)
        self.assertIn("expected a subject exec:COMMAND", ended.error)


if __name__ == "__main__":
    ZEROCTS = sys.argv.pop(1)
    PYTHON = python_with_zmq()
    unittest.main()
