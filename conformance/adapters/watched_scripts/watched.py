"""What the tests of `zerocts watch` share: a script on ranks, watched or not."""

import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = 300  # on a machine with other work
ALARM, NOTHING_JUDGED = 1, 6


class Watch(unittest.TestCase):
    """`zerocts` and `python`: of all tests, set by the program that runs them."""

    zerocts, python, train = "", "", "train.py"

    def setUp(self):
        self.out = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def command(self, ranks, arguments):
        return [self.python, str(HERE / "fork_ranks.py"), str(ranks), str(HERE / self.train), *arguments.split()]

    def run_it(self, *command):
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)

    def watch(self, ranks, arguments, *options):
        return self.run_it(
            self.zerocts, "watch", "--out", str(self.out), *options, "--", *self.command(ranks, arguments)
        )

    def expect_silence(self, ranks, arguments):
        with self.subTest(ranks=ranks, arguments=arguments):
            ended = self.watch(ranks, arguments, "--fail")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn(": 0 alarms, 0 notices", ended.stderr)
            self.assertNotIn("not watched", ended.stderr)

    def expect_fault(self, fault, arguments, words):
        with self.subTest(fault=fault, arguments=arguments):
            ended = self.watch(3, f"--fault={fault} {arguments}", "--fail")
            self.assertIn(words if words.startswith("notice") else f"ALARM: {words}", ended.stderr)
            self.assertEqual(ended.returncode, 0 if words.startswith("notice") else ALARM, ended.stderr)

    def sorted_lines(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return sorted(ended.stdout.splitlines())

    def expect_the_same(self, arguments):
        """What training prints, with and without the witness."""
        with self.subTest(arguments=arguments):
            plain = self.sorted_lines(self.run_it(*self.command(3, arguments)))
            self.assertEqual(len(plain), 8 + 3)
            self.assertEqual(self.sorted_lines(self.watch(3, arguments)), plain)
