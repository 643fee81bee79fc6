#!/usr/bin/env python3
"""Ranks that Slurm starts, by a stand-in for srun.

usage: launcher_srun_test.py ZEROCTS FAULTY_PLUGIN
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ZEROCTS, FAULTY = sys.argv[1:3]
STAND_IN = Path(__file__).with_name("srun_stand_in.py")


class LauncherSrun(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, *words, has_srun=True):
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        if has_srun and not (programs / "srun").exists():
            (programs / "srun").symlink_to(STAND_IN)
        command = [ZEROCTS, "check", "--launcher", "srun", "--tier", "smoke", "--out", self.folder / "run", *words]
        path = f"{programs}:{os.environ['PATH']}"
        return subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=200, env=os.environ | {"PATH": path}
        )

    def test_ranks_are_judged(self):
        ended = self.check("C-ZERO-010", "C-ZERO-080", "--subject", "native", "--ranks", "1,3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("launchers srun  world sizes 1 3", ended.stdout)

    def test_how_ranks_end_is_told(self):
        for fault, said in (("crash", "crash"), ("hang", "hang"), ("exit", "early exit")):
            with self.subTest(fault):
                options = [f"--option={option}" for option in (f"fault={fault}", "rank=1", "step=0")]
                ended = self.check(
                    *("C-ZERO-010", "--subject", f"plugin:{FAULTY}", "--ranks", "3"),
                    *("--deadline", "2", "--no-shrink", "--fail-fast", *options),
                )
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(said, ended.stdout, ended.stderr)
                self.assertIn("rank 1", ended.stdout)

    @unittest.skipIf(any(Path(folder, "srun").exists() for folder in os.environ["PATH"].split(":")), "Slurm is here")
    def test_without_slurm_it_says_so(self):
        ended = self.check("C-ZERO-010", "--subject", "native", has_srun=False)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("--launcher srun: expected srun on the PATH, got none; call it where Slurm is", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
