#!/usr/bin/env python3
"""The native engine with ranks on two hosts: two on the first, one or two on the second (scripts/two_hosts).

usage: two_hosts_test.py TWO_HOSTS ZEROCTS [unittest arguments]
exit 77: skipped, with the reason
"""

import subprocess
import sys
import tempfile
import unittest

TWO_HOSTS, ZEROCTS = sys.argv[1:3]
SKIPPED = 77
WHAT_MOVES = ["ownership", "reduction", "asynchrony"]  # families to which the transport matters


def on_two_hosts(*command):
    return subprocess.run(
        [TWO_HOSTS, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


class TwoHosts(unittest.TestCase):
    def check(self, transport, *arguments):
        """(exit code, what was said) of zerocts check."""
        options = f"--subject native --launcher mpirun --ranks 3,4 --option comm={transport}".split()
        with tempfile.TemporaryDirectory() as out:
            ended = on_two_hosts(ZEROCTS, "check", *options, "--out", out, *arguments)
        return ended.returncode, ended.stdout

    def assert_conformant(self, transport):
        code, said = self.check(transport, *WHAT_MOVES, "--tier", "smoke", "--no-shrink")
        self.assertEqual(code, 0, said)
        self.assertIn("\nconformant: ", said)

    def test_messages(self):
        self.assert_conformant("mpi")

    def test_shared_memory_within_a_host_and_messages_between(self):
        self.assert_conformant("shm+mpi")

    def test_shared_memory_alone_does_not_reach_the_other_host(self):
        """So the two are apart, and ranks that believe otherwise are refused."""
        code, said = self.check("shm", "C-ZERO-001", "--cases", "1", "--deadline", "5")
        self.assertEqual(code, 1, said)
        self.assertRegex(
            " ".join(said.split()),
            r"refused open: INTERNAL: comm shm, rank [23]: \S+ of rank 0 \(expected ranks that are processes of one "
            r"user on one host\)",
        )


if __name__ == "__main__":
    trial = on_two_hosts("true")
    if trial.returncode == SKIPPED:
        print(trial.stdout.strip())
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
