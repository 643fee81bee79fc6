#!/usr/bin/env python3
"""The Debian package: its fields, and its files used where nothing else of zerocts is.

usage: package_test.py BUILD_DIR      a folder in which zerocts_package was built; exit 77 where dpkg-deb is not
"""

import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from package_use import checkpoint_in, run

BUILD = None
PACKAGE_SECONDS = 900
PLUGIN = (
    "cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -I {root}/usr/include/zerocts "
    "{root}/usr/share/zerocts/examples/minimal.c -o {out} -lm"
)


class DebianPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        config, packages = BUILD / "CPackConfig.cmake", cls.folder / "packages"
        run("cpack", "--config", config, "-G", "DEB", "-B", packages, seconds=PACKAGE_SECONDS)
        (cls.package,) = (cls.folder / "packages").glob("zerocts_*.deb")
        cls.root = cls.folder / "root"
        run("dpkg-deb", "--extract", cls.package, cls.root)
        empty = {"PATH": "/usr/bin:/bin", "HOME": str(cls.folder), "LANG": "C.UTF-8"}
        cls.alone = {"env": empty, "cwd": cls.folder}

    def zerocts(self, *arguments):
        return run(self.root / "usr/bin/zerocts", *arguments, **self.alone)

    def test_depends_on_the_libraries_that_it_uses(self):
        fields = run("dpkg-deb", "--field", self.package, "Depends")
        for library in ("libzmq5", "libc6", "python3"):
            self.assertIn(library, fields)
        for package in re.findall(r"(?:^|, )([\w.+-]+)", fields):
            run("dpkg-query", "--show", package)  # a package of this Debian, which is installed to build this one

    def test_nothing_of_the_build_is_in_it(self):
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        self.assertGreater(len(files), 50)
        for place in (BUILD.resolve(), BUILD.resolve().parent.parent):
            named = [path for path in files if f"{place}/".encode() in path.read_bytes()]
            self.assertEqual(named, [], f"these name {place}")

    def test_the_native_engine_is_judged(self):
        said = self.zerocts("check", "C-ZERO-001", "--subject", "native", "--ranks", "2", "--cases", "4")
        self.assertRegex(said, r"conformant: .*; partial: ")
        self.assertIn("torch-fsdp2", self.zerocts("subjects"))

    def test_a_plugin_is_made_and_judged(self):
        plugin = self.folder / "my_zero.so"
        run("sh", "-c", PLUGIN.format(root=self.root, out=plugin), **self.alone)
        said = self.zerocts("check", "C-ZERO-001", "--subject", f"plugin:{plugin}", "--ranks", "2", "--cases", "4")
        self.assertRegex(said, r"conformant: .*; partial: ")

    def test_native_is_measured(self):
        brief = ["--model", "tiny", "--stage", "1", "--rounds", "1", "--steps", "1"]
        self.assertIn("native, stage 1", self.zerocts("bench", *brief))

    def test_a_checkpoint_is_read(self):
        self.assertIn("sound: 1 tensors, 2 elements", self.zerocts("plan", "read", checkpoint_in(self.folder)))

    def test_records_are_shown(self):
        for program in ("history", "pictures", "export"):
            self.assertIn(f"zerocts bench {program} RECORDS", self.zerocts("bench", program, "--help"))


if __name__ == "__main__":
    if shutil.which("dpkg-deb") is None or shutil.which("dpkg-shlibdeps") is None:
        print("skipped: expected dpkg-deb and dpkg-shlibdeps, got none; this is not Debian")
        sys.exit(77)
    BUILD = Path(sys.argv.pop(1))
    unittest.main()
