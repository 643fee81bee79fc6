"""What tests that run `zerocts` on a framework have in common."""

import os
import subprocess
import sys
import tempfile
import unittest

from available import framework_of, python_for

ZEROCTS = os.path.abspath(sys.argv[1])
USAGE = 2


class FrameworkCheck(unittest.TestCase):
    def ask(self, command, subject, *words):
        """Skips what this machine cannot have."""
        python_for(self, framework_of(subject))
        return subprocess.run(
            [ZEROCTS, command, *words, "--subject", subject], capture_output=True, text=True, check=False
        )

    def check(self, subject, *words):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        return self.ask("check", subject, *words, "--out", folder)

    def expect_end(self, exit_code, words, *arguments):
        """`words` stand in what it prints, however that is broken into lines."""
        ended = self.check(*arguments)
        printed = ended.stdout + ended.stderr
        self.assertEqual(ended.returncode, exit_code, printed)
        self.assertIn(words, " ".join(printed.split()))
