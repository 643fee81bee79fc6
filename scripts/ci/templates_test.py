#!/usr/bin/env python3
"""The templates, by linters from PyPI and Debian, and by what they name.

usage: templates_test.py [--lint]      --lint: the linters; exit 77 where they cannot be had
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TEMPLATES = [HERE / name for name in ("github.yml", "gitlab.yml", "Containerfile", "zerocts.sbatch", "README.md")]
SCRIPTS = ["check_shard", "gate", "gpu_tests", "install_packages", "retry", "zerocts.sbatch"]
NAMED = re.compile(r"\b((?:scripts|bench)/[\w./-]+\w)")
PYTHON = None


class Names(unittest.TestCase):
    def test_what_templates_name_exists(self):
        for template in TEMPLATES:
            named = set(NAMED.findall(template.read_text(encoding="utf-8")))
            self.assertTrue(named, template)
            for path in named:
                self.assertTrue((ROOT / path).exists(), f"{template.name} names {path}")

    def test_what_templates_run_can_be_run(self):
        for name in [*SCRIPTS, "shards.py"]:
            self.assertTrue((HERE / name).stat().st_mode & 0o100, name)

    def test_no_variable_is_one_that_zerocts_refuses(self):
        """It ends with 2 for an unknown variable that begins with ZEROCTS_."""
        for template in TEMPLATES:
            text = template.read_text(encoding="utf-8")
            self.assertNotRegex(text, r"ZEROCTS_\w+ *[:=]", template.name)


class Gate(unittest.TestCase):
    def gate(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            zerocts, summary = Path(folder, "zerocts"), Path(folder, "summary")
            zerocts.write_text('#!/bin/sh\necho "$*"\nexit 6\n')
            zerocts.chmod(0o755)
            ended = subprocess.run(
                [HERE / "gate", zerocts, *words],
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | {"GITHUB_STEP_SUMMARY": str(summary)},
            )
            return ended, summary.read_text() if summary.exists() else ""

    def test_compares_the_plugin_with_that_of_the_base(self):
        ended, summary = self.gate("plugin:./build/my.so", "base", "--ranks", "2")
        said = "bench compare plugin:base/./build/my.so plugin:./build/my.so --markdown --ranks 2\n"
        self.assertEqual((ended.returncode, ended.stdout, summary), (6, said, said))

    def test_refuses_what_has_no_base(self):
        for words in (["torch-fsdp2", "base"], ["plugin:/my.so", "base"], ["plugin:my.so"]):
            ended, _ = self.gate(*words)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("gate: expected ZEROCTS plugin:PATH BASE", ended.stderr)


class Linters(unittest.TestCase):
    def passes(self, *command):
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_schemas(self):
        for schema, template in [("vendor.github-workflows", "github.yml"), ("vendor.gitlab-ci", "gitlab.yml")]:
            self.passes(PYTHON, "-m", "check_jsonschema", "--builtin-schema", schema, HERE / template)

    def test_container(self):
        self.passes(Path(PYTHON).parent / "hadolint", "--ignore", "DL3008", HERE / "Containerfile")

    def test_shell(self):
        self.passes("shellcheck", "--external-sources", "--source-path=SCRIPTDIR", *(HERE / name for name in SCRIPTS))


def ask_for_linters():
    maker = ROOT / "conformance/adapters/environment.py"
    command = [sys.executable, maker, "python", "linters-of-ci", "--recipes", HERE / "linters.json"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode == 3 or shutil.which("shellcheck") is None:
        print(f"skipped: {made.stdout.strip() if made.returncode else 'expected shellcheck, got none; install it'}")
        sys.exit(77)
    return made.stdout.strip()


if __name__ == "__main__":
    if "--lint" in sys.argv:
        PYTHON = ask_for_linters()
    unittest.main(argv=sys.argv[:1], defaultTest=["Linters"] if PYTHON else ["Names", "Gate"])
