"""What tests that run `zerocts check` on a framework have in common."""

import os
import subprocess
import sys
import tempfile
import unittest

from available import ask_for, framework_of

ZEROCTS = os.path.abspath(sys.argv[1])
USAGE = 2


class FrameworkCheck(unittest.TestCase):
    def check(self, subject, *words):
        """Skips what this machine cannot have."""
        if reason := ask_for(framework_of(subject))[1]:
            self.skipTest(reason)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        return subprocess.run(
            [ZEROCTS, "check", *words, "--subject", subject, "--out", folder],
            capture_output=True,
            text=True,
            check=False,
        )

    def expect_end(self, exit_code, words, *arguments):
        """`words` stand in what it prints, however that is broken into lines."""
        ended = self.check(*arguments)
        printed = ended.stdout + ended.stderr
        self.assertEqual(ended.returncode, exit_code, printed)
        self.assertIn(words, " ".join(printed.split()))
