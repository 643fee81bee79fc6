#!/usr/bin/env python3
"""Reports in upstream/: each script prints what its report says.
usage: upstream_test.py [unittest arguments]
A report is skipped where this machine cannot have its framework."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from available import HERE, python_for

PATIENCE = 300  # seconds, on a machine with other work
LINES = 40
REPORTS = HERE / "upstream"


class Report:
    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.script, self.command, self.got = (self.block(kind) for kind in ("python", "console", "text"))

    def block(self, kind):
        blocks = re.findall(rf"^```{kind}\n(.*?)^```$", self.text, re.MULTILINE | re.DOTALL)
        if len(blocks) != 1:
            raise ValueError(f"{self.path.name} has {len(blocks)} blocks of {kind}; expected 1")
        return blocks[0]

    @property
    def framework(self):
        return self.path.parent.name

    @property
    def ranks(self):
        return int(
            re.fullmatch(r"(?:DS_ACCELERATOR=cpu )?torchrun --nproc-per-node (\d) report\.py\n", self.command)[1]
        )

    def printed(self, python):
        """All that the ranks print when somebody types the command, one rank after another."""
        variables = {"DS_ACCELERATOR": "cpu", "OMP_NUM_THREADS": "1", "PATH": f"{python.parent}:{os.environ['PATH']}"}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "report.py").write_text(self.script, encoding="utf-8")
            files = ["--log-dir", "ranks", "--redirects", "3"]
            subprocess.run(
                [python, "-m", "torch.distributed.run", *files, "--nproc-per-node", str(self.ranks), "report.py"],
                cwd=folder,
                env={**os.environ, **variables},
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
            return "".join(file.read_text(encoding="utf-8") for file in Path(folder).rglob("*.log"))


def all_reports():
    reports = [Report(path) for path in sorted(REPORTS.glob("*/*.md"))]
    if not reports:
        raise FileNotFoundError(f"no report in {REPORTS}")
    return reports


class Reports(unittest.TestCase):
    def test_form(self):
        for report in all_reports():
            with self.subTest(report=report.path.name):
                self.assertLessEqual(len(report.script.splitlines()), LINES)
                self.assertRegex(report.text, rf"\A# .+\n\n.*(torch|DeepSpeed) \d+\.\d+\.\d+.*, {report.ranks} ranks\.")
                for part in ("\nExpected: ", "\nGot:", "\nCause: "):
                    self.assertEqual(report.text.count(part), 1, part)

    def test_scripts_print_what_reports_say(self):
        for report in all_reports():
            with self.subTest(report=report.path.name):
                printed = report.printed(Path(python_for(self, report.framework)))
                for line in report.got.splitlines():
                    self.assertIn(line, printed)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
