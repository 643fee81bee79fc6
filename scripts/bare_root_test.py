#!/usr/bin/env python3
"""The wheel in a Debian root that has Python and nothing else: no compiler, no library of this machine.

usage: bare_root_test.py SOURCE_DIR [WHEEL]      WHEEL: default: the one that scripts/package builds
exit 77: debootstrap is not here, this user is not root, or there is no package index
"""

import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from package_use import NO_INDEX, has_index, run, wheel_of

SOURCE, WHEEL = None, None
SECONDS = 1800
SUITE = "bookworm"
TOOLS = ("gcc", "c++", "cmake", "make", "ninja")
# How this machine reaches the network and a package index.
OF_NETWORK = ("etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt", "etc/pip.conf")
OF_USER = ".config/pip/pip.conf"
ENTER = 'mount -t proc proc proc && mount -t tmpfs tmpfs dev/shm && exec chroot . /usr/bin/env -i "$@"'


def mirror():
    """From which apt has Debian."""
    told = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    return next(line.split()[0] for line in told.splitlines() if line.split()[1] == SUITE)


def variables():
    kept = (name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy"))
    return ["HOME=/root", "PATH=/usr/bin:/bin", *(f"{name}={os.environ[name]}" for name in kept)]


class BareRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.root = folder / "root"
        packages = "--include=python3-venv,ca-certificates"
        run("debootstrap", "--variant=minbase", packages, SUITE, cls.root, mirror(), seconds=SECONDS)
        places = {Path("/") / file: cls.root / file for file in OF_NETWORK}
        for file, place in {**places, Path.home() / OF_USER: cls.root / "root" / OF_USER}.items():
            if file.is_file():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, place)
        wheel = WHEEL or wheel_of(SOURCE, folder / "packages")
        cls.wheel = shutil.copy(wheel, cls.root / wheel.name)

    def here(self, *command):
        enter = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, "sh", *variables()]
        return run(*enter, *command, cwd=self.root, seconds=SECONDS)

    def test_from_nothing_to_a_verdict(self):
        start = time.monotonic()
        self.here("python3", "-m", "venv", "/v")
        self.here("/v/bin/pip", "install", "/" + self.wheel.name)
        few = "reduction --subject native --ranks 2,3 --tier smoke".split()
        said = self.here("/v/bin/zerocts", "check", *few)
        print(f"venv, pip install and zerocts check took {time.monotonic() - start:.0f} s")
        self.assertRegex(said, r"\nconformant: \d+ of \d+ clauses")
        self.assertEqual([tool for tool in TOOLS if (self.root / "usr/bin" / tool).exists()], [])


if __name__ == "__main__":
    SOURCE = Path(sys.argv.pop(1)).resolve()
    WHEEL = Path(sys.argv.pop(1)).resolve() if sys.argv[1:] and sys.argv[1].endswith(".whl") else None
    lacks = {
        "root, who may make a root folder": os.geteuid() != 0,
        "debootstrap, got none; install it": not shutil.which("debootstrap"),
        NO_INDEX: not has_index(),
    }
    if lacking := [thing for thing, is_lacking in lacks.items() if is_lacking]:
        print(f"skipped: expected {lacking[0]}")
        sys.exit(77)
    unittest.main()
