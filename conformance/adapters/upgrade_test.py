#!/usr/bin/env python3
"""zerocts upgrade: a release beside itself, beside the same with a planted fault, and released bugs between two
releases of DeepSpeed. What this machine cannot have is skipped.

usage: upgrade_test.py ZEROCTS [unittest arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from available import python_for

ZEROCTS = os.path.abspath(sys.argv[1])
WORSE, USAGE, INTERRUPTED = 1, 2, 130
PATIENCE = 120  # seconds

FAULT = '''
"""torch.optim as a release whose SGD steps twice, and whose AdamW has another default."""
import importlib.machinery, sys

def plant(optim):
    step = optim.SGD.step
    def twice(self, closure=None):
        step(self)
        return step(self, closure)
    optim.SGD.step = twice
    values = list(optim.AdamW.__init__.__defaults__)
    optim.AdamW.__init__.__defaults__ = (0.125, *values[1:])

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch.optim":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module
        def planted(module):
            execute(module)
            plant(module)
        spec.loader.exec_module = planted
        return spec

sys.meta_path.insert(0, Finder)
'''


def faulty_python(folder, python):
    """An environment with the packages of `python`, and the fault in all that it imports."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(Path(folder).glob("lib/*/site-packages"))
    of_python = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    (packages / "base.pth").write_text(of_python)
    (packages / "zerocts_fault.py").write_text(FAULT)
    (packages / "fault.pth").write_text("import zerocts_fault\n")
    return str(Path(folder, "bin", "python"))


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def wait_until(holds):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)


class Upgrade(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def upgrade(self, *words, check=()):
        return subprocess.run(
            [ZEROCTS, "upgrade", *words, *(["--", *check] if check else [])],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def expect(self, ended, exit_code, *sentences):
        printed = ended.stdout + ended.stderr
        self.assertEqual(ended.returncode, exit_code, printed)
        for sentence in sentences:
            self.assertIn(sentence, " ".join(printed.split()))


class OnePair(Upgrade):
    CHECK = ("C-ZERO-050", "--ranks", "2", "--tier", "smoke", "--precision", "fp32")

    def faulty_python(self, python):
        return faulty_python(os.path.join(self.folder, "faulty"), python)

    def test_a_release_beside_itself(self):
        python = python_for(self, "torch")
        ended = self.upgrade("torch-zero1", python, python, "--bench-budget", "15", check=self.CHECK)
        self.expect(
            ended, 0, "nothing worse: configurations: 0 newly failing, 0 lost, 0 newly passing, 0 new",
            "A: torch-zero1,python=/", "figures of bytes and counts are equal",
        )  # fmt: skip
        self.assertNotIn("declares", ended.stdout)

    def test_a_planted_fault(self):
        python = python_for(self, "torch")
        ended = self.upgrade("torch-zero1", python, self.faulty_python(python), "--bench-budget", "0", check=self.CHECK)
        self.expect(
            ended, WORSE, "newly failing: ", "C-ZERO-050", "zerocts replay ",
            "declares defaults.torch.optim.AdamW(lr): 0.001, then 0.125",
        )  # fmt: skip
        results = Path(self.folder, "zerocts-results")
        self.assertIn("Changed since an earlier run", next(results.glob("*/upgrade.html")).read_text())
        changes = json.loads(next(results.glob("*/upgrade.json")).read_text())["changes"]
        self.assertEqual({change["what"] for change in changes["newly_failing"]}, {"C-ZERO-050"})

    def test_a_mended_fault(self):
        python = python_for(self, "torch")
        ended = self.upgrade("torch-zero1", self.faulty_python(python), python, "--bench-budget", "0", check=self.CHECK)
        self.expect(ended, 0, "newly passing: ")


class BadInput(Upgrade):
    def test_a_mistake_is_one_sentence(self):
        for words, sentence in {
            ("native", "1.0", "2.0"): "expected a subject of a framework (torch-zero1, ",
            ("torch-zero1", "1.0"): "NEW is required",
            ("torch-zero1", "/nowhere/python", "2.13.0"): "OLD: torch-zero1: ",
            ("torch-zero1", "old", "2.13.0"): "expected a release such as 2.13.0, got 'old'",
            ("torch-zero1", "/", "2.13.0"): "OLD: torch-zero1: ",
            ("torch-zero1", "/usr/bin/python3", "2.13.0", "--bisect"): "--bisect: expected two releases",
        }.items():
            with self.subTest(words=words):
                self.expect(self.upgrade(*words), USAGE, sentence)

    def test_a_folder_that_cannot_be(self):
        python = python_for(self, "torch")
        ended = self.upgrade("torch-zero1", python, python, "--out", "/dev/null/here")
        self.expect(ended, USAGE, "expected a folder that can be written, got /dev/null/here")

    def test_words_that_check_does_not_take(self):
        python = python_for(self, "torch")
        for words, sentence in {
            ("C-ZERO-999",): "C-ZERO-999",
            ("--out", "x"): "behind --: expected words of zerocts check that say what is judged, got --out",
            ("--version=2.13",): "got --version",
        }.items():
            with self.subTest(words=words):
                self.expect(self.upgrade("torch-zero1", python, python, check=words), USAGE, sentence)

    def test_sigterm_ends_what_it_started(self):
        python = python_for(self, "torch")
        process = subprocess.Popen(
            [ZEROCTS, "upgrade", "torch-zero1", python, python, "--out", self.folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.assertIn("checks torch-zero1", process.stderr.readline())
        wait_until(lambda: children_of(process.pid))
        (check,) = children_of(process.pid)
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, INTERRUPTED, said)
        self.assertFalse(os.path.exists(f"/proc/{check}"))


class Releases(Upgrade):
    """What the authors' own notes say of the releases between."""

    def test_deepspeed(self):
        """Parameters without elements are right in 0.19.8 (issue 8279)."""
        for release in ("0.18.3", "0.19.8"):
            python_for(self, "deepspeed", release)
        ended = self.upgrade("deepspeed-2", "0.18.3", "0.19.8")
        self.expect(ended, 0, "declares defaults.gradient_clipping: 0.0, then 1.0", "newly passing", "C-ZERO-004")

    def test_bisect(self):
        """Micro-batches are lost from 0.17.6 on (issue 7718)."""
        for release in ("0.16.7", "0.18.1"):
            python_for(self, "deepspeed", release)
        words = ("C-ZERO-022", "--ranks", "3", "--tier", "smoke", "--precision", "fp32")
        ended = self.upgrade("deepspeed-2", "0.16.7", "0.18.1", "--bisect", "--bench-budget", "0", check=words)
        self.expect(ended, WORSE, "C-ZERO-022 newly fails since 0.17.6")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
