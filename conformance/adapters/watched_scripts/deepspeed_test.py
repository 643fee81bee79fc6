#!/usr/bin/env python3
"""`zerocts watch` around train_deepspeed.py, as watch_test.py is around train.py.

usage: deepspeed_test.py ZEROCTS [unittest arguments]
"""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from available import python_for, python_or_skip  # noqa: E402
from rows import FAULTS_IN_DEEPSPEED, IN_RELEASES_OF_DEEPSPEED, RIGHT_IN_DEEPSPEED  # noqa: E402
from watched import Watch  # noqa: E402


class DeepSpeed(Watch):
    train = "train_deepspeed.py"

    def test_a_norm_of_one_part(self):
        self.expect_one(0)

    def expect_one(self, row):
        self.expect_fault(*FAULTS_IN_DEEPSPEED[row])

    def test_silent(self):
        for arguments in RIGHT_IN_DEEPSPEED:
            self.expect_silence(3, arguments)

    def test_pipeline_and_experts(self):
        for self.train in ("pipeline_deepspeed.py", "experts_deepspeed.py"):
            for stage in (0, 1):
                self.expect_silence(4, str(stage))

    def test_loud(self):
        for row in range(len(FAULTS_IN_DEEPSPEED)):
            self.expect_one(row)

    def test_bits(self):
        for stage in range(4):
            self.expect_the_same(f"--stage {stage}")

    def sorted_lines(self, ended):
        """Those of the script: DeepSpeed's have times in them."""
        return [line for line in super().sorted_lines(ended) if line.startswith(("step ", "rank "))]


class Releases(Watch):
    """What older releases are known to do wrong, and what they do right."""

    train = "train_deepspeed.py"

    def test_releases(self):
        for release, arguments, words in IN_RELEASES_OF_DEEPSPEED:
            with self.subTest(release=release):
                self.python = python_for(self, "deepspeed", release)
                if words:
                    self.expect_fault("", arguments, words)
                else:
                    self.expect_silence(3, arguments)


if __name__ == "__main__":
    Watch.zerocts, Watch.python = sys.argv.pop(1), python_or_skip("deepspeed")
    os.environ["DS_ACCELERATOR"] = "cpu"
    unittest.main()
