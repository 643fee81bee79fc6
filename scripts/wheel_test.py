#!/usr/bin/env python3
"""The wheel in an environment that is made for it, without a compiler and without the libraries of this machine.

usage: wheel_test.py SOURCE_DIR [WHEEL]      WHEEL: default: the one that scripts/package builds
exit 77: there is no package index
"""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from package_use import NO_INDEX, checkpoint_in, has_index, run, wheel_of

SOURCE, WHEEL = None, None
FRAMEWORK_SECONDS = 1200  # PyTorch is fetched
OF_EVERY_LINUX = re.compile(r"^(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+|libz|libresolv)\.so")


def settings_of_pip():
    """Where this user's pip finds packages: an index may be the only one with a build of PyTorch for CPUs."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    of_user = Path("~/.config/pip/pip.conf").expanduser()
    return ({"PIP_CONFIG_FILE": str(of_user)} if of_user.is_file() else {}) | settings


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.wheel = WHEEL or wheel_of(SOURCE, cls.folder / "packages")
        run(sys.executable, "-m", "venv", cls.folder / "environment")
        cls.bin = cls.folder / "environment/bin"
        run(cls.bin / "python", "-m", "pip", "install", "--disable-pip-version-check", cls.wheel)
        cls.alone = {"env": {"PATH": str(cls.bin), "HOME": str(cls.folder), "LANG": "C.UTF-8"}, "cwd": cls.folder}

    def test_name_says_what_it_needs(self):
        self.assertRegex(self.wheel.name, r"^zerocts-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")

    def test_libraries_are_its_own(self):
        installed = next(self.folder.glob("environment/lib/python3*/site-packages"))
        told = run("ldd", installed / "zerocts/installed/bin/zerocts")
        libraries = [line.split()[0] for line in told.splitlines() if "=>" in line and str(installed) not in line]
        self.assertEqual([name for name in libraries if not OF_EVERY_LINUX.match(name)], [], told)
        self.assertNotIn("not found", told)

    def test_the_native_engine_is_judged(self):
        options = ["--subject", "native", "--ranks", "2", "--cases", "4"]
        said = run(self.bin / "zerocts", "check", "C-ZERO-001", *options, **self.alone)
        self.assertRegex(said, r"conformant: .*; partial: ")
        self.assertIn(
            "conformant: ", run(self.bin / "python", "-m", "zerocts", "check", "C-ZERO-001", *options, **self.alone)
        )

    def test_native_is_measured_and_its_records_are_shown(self):
        brief = ["--model", "tiny", "--stage", "1", "--rounds", "1", "--steps", "1", "--out", "records.ndjson"]
        self.assertIn("native, stage 1", run(self.bin / "zerocts", "bench", *brief, **self.alone))
        run(self.bin / "zerocts", "bench", "export", "records.ndjson", "--to", "bencher", "--out", ".", **self.alone)

    def test_a_checkpoint_is_read(self):
        said = run(self.bin / "zerocts", "plan", "read", checkpoint_in(self.folder), **self.alone)
        self.assertIn("sound: 1 tensors, 2 elements", said)

    def test_a_check_becomes_tests_of_pytest(self):
        run(self.bin / "python", "-m", "pip", "install", "--disable-pip-version-check", "pytest")
        words = ["--zerocts-subject", "native", "--zerocts-args=C-ZERO-001 --ranks 2 --cases 4"]
        said = run(self.bin / "pytest", "-v", *words, **self.alone)
        self.assertRegex(said, r"zerocts::C-ZERO-001 shard coverage PASSED")
        self.assertRegex(said, r"zerocts::verdict PASSED")

    def test_a_framework_is_judged_in_an_environment_that_the_wheel_makes(self):
        options = ["--subject", "torch-fsdp2", "--ranks", "2", "--cases", "4"]
        asks_as_here = {**self.alone, "env": {**self.alone["env"], **settings_of_pip()}}
        said = run(self.bin / "zerocts", "check", "C-ZERO-001", *options, **asks_as_here, seconds=FRAMEWORK_SECONDS)
        self.assertRegex(said, r"conformant: .*; partial: ")


if __name__ == "__main__":
    SOURCE = Path(sys.argv.pop(1)).resolve()
    WHEEL = Path(sys.argv.pop(1)).resolve() if sys.argv[1:] and sys.argv[1].endswith(".whl") else None
    if not has_index():
        print(f"skipped: expected {NO_INDEX}")
        sys.exit(77)
    unittest.main()
