#!/usr/bin/env python3
"""environment.py with frameworks that are made up: tiny packages in a folder, no index. usage: environment_test.py
[unittest arguments]
"""

import base64
import contextlib
import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path
from unittest.mock import patch

from zerocts_environments import Problem
from zerocts_environments import lock as lock_of_one
from zerocts_environments.steps import require_venv

HERE = Path(__file__).parent
SKIPPED = 77
PATIENCE = 300  # seconds, on a machine with other work


def write_wheel(folder, name, version, needs=(), cuda=None):
    """The least that pip installs, and torch's word on CUDA."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(
        f"Requires-Dist: {need}\n" for need in needs
    )
    record = f"{info}/RECORD,,\n"
    files = {
        f"{name}/__init__.py": f"__version__ = '{version}'\n",
        f"{name}/version.py": f"cuda = {cuda!r}\n",
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: zerocts\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(text)}\n"
        wheel.writestr(f"{info}/RECORD", record)


class Environment(unittest.TestCase):
    """Making one takes a second, so the first, which two processes want at once, serves several tests."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.wheels = cls.folder / "wheels"
        cls.wheels.mkdir()
        for version in ("1.0.0", "1.1.0"):
            write_wheel(cls.wheels, "torch", version)
        write_wheel(cls.wheels, "torch", "9.0.0", ["nvidia-cublas==13.0; platform_system == 'Linux'"], cuda="13.0")
        shutil.copy(HERE / "environment.py", cls.folder)
        shutil.copytree(HERE / "zerocts_environments", cls.folder / "zerocts_environments")
        data = {
            "pip": "pip",
            "frameworks": {
                "torch": {
                    "version": "1.1.0",
                    "size": "little",
                    "time": "seconds",
                    "steps": [{"packages": ["torch=={version}"]}],
                }
            },
        }
        (cls.folder / "frameworks.json").write_text(json.dumps(data))
        cls.variables = {
            **os.environ,
            "XDG_CACHE_HOME": str(cls.folder / "cache"),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(cls.wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }
        both = [
            subprocess.Popen(
                cls.command("python", "torch"),
                env=cls.variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        cls.first_uses = [(*process.communicate(timeout=PATIENCE), process.returncode) for process in both]
        cls.python = cls.first_uses[0][0].strip()

    @classmethod
    def command(cls, *arguments):
        return [sys.executable, str(cls.folder / "environment.py"), *arguments]

    def call(self, *arguments, exit_code=0, **variables):
        ended = subprocess.run(
            self.command(*arguments),
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, exit_code, ended.stdout + ended.stderr)
        self.assertEqual(ended.stdout.count("\n"), 1, ended.stdout)
        return ended.stdout.strip(), ended.stderr

    def environments(self):
        return [path.name for path in (self.folder / "cache/zerocts/environments").glob("*") if path.is_dir()]

    def version_in(self, python):
        return subprocess.run(
            [python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=True
        ).stdout.strip()

    def test_two_first_uses_at_once_make_one(self):
        self.assertEqual([exit_code for _, _, exit_code in self.first_uses], [0, 0], self.first_uses)
        self.assertEqual(self.first_uses[0][0], self.first_uses[1][0])
        for words in ("making an environment with torch 1.1.0", "waiting for it"):
            self.assertEqual(sum(words in said for _, said, _ in self.first_uses), 1, self.first_uses)
        self.assertEqual(self.version_in(self.python), "1.1.0")

    def test_made_one_is_reused_and_a_half_made_one_made_again(self):
        self.assertEqual(self.call("python", "torch"), (self.python, ""))
        self.assertEqual(json.loads(self.call("list")[0]), {"torch": self.python})
        Path(self.python).parent.parent.joinpath("complete.json").unlink()
        self.assertEqual(json.loads(self.call("list")[0]), {})
        again, said = self.call("python", "torch")
        self.assertEqual(again, self.python)
        self.assertIn("making", said)

    def test_releases_are_listed_oldest_first(self):
        write_wheel(self.wheels, "torch", "1.10.0")
        self.addCleanup((self.wheels / "torch-1.10.0-py3-none-any.whl").unlink)
        self.assertEqual(json.loads(self.call("releases", "torch")[0]), ["1.0.0", "1.1.0", "1.10.0", "9.0.0"])
        sentence, _ = self.call("releases", "torch", exit_code=3, PIP_FIND_LINKS=str(self.folder))
        self.assertIn("expected pip to list the releases of torch, it says", sentence)

    def test_recipes_of_another_file(self):
        write_wheel(self.wheels, "tool", "1.0.0")
        recipe = {"version": "1.0.0", "size": "little", "time": "seconds", "steps": [{"packages": ["tool=={version}"]}]}
        recipes = self.folder / "tools.json"
        recipes.write_text(json.dumps({"pip": "pip", "frameworks": {"tool": recipe}}))
        python, said = self.call("python", "tool", "--recipes", str(recipes))
        self.assertIn("making an environment with tool 1.0.0", said)
        subprocess.run([python, "-c", "import tool"], check=True)
        self.assertIn("got torch", self.call("python", "torch", "--recipes", str(recipes), exit_code=2)[0])

    def test_one_that_stands_on_another(self):
        write_wheel(self.wheels, "part", "1.0.0")
        recipes = json.loads((self.folder / "frameworks.json").read_text(encoding="utf-8"))
        steps = [{"packages": ["part=={version}"]}]
        recipes["frameworks"]["part"] = {
            "version": "1.0.0", "size": "little", "time": "seconds", "on": "torch", "steps": steps,
        }  # fmt: skip
        file = self.folder / "on_torch.json"
        file.write_text(json.dumps(recipes), encoding="utf-8")
        python, _ = self.call("python", "part", "--recipes", str(file))
        self.assertEqual(
            json.loads(self.call("list", "--recipes", str(file))[0]), {"torch": self.python, "part": python}
        )
        where = subprocess.run(
            [python, "-c", "import part, torch; print(torch.__file__)"], capture_output=True, text=True, check=True
        ).stdout
        self.assertTrue(where.startswith(str(Path(self.python).parent.parent)), where)
        self.assertEqual(list(Path(python).parent.parent.glob("lib/*/site-packages/torch*")), [])
        of_torch = Path(self.python).parent.parent / "complete.json"
        complete = of_torch.read_text(encoding="utf-8")
        of_torch.unlink()
        self.assertEqual(json.loads(self.call("list", "--recipes", str(file))[0]), {})
        of_torch.write_text(complete, encoding="utf-8")

    def test_a_damaged_one_is_named_and_a_mended_one_serves_again(self):
        folder = Path(self.python).parent.parent
        (package,) = folder.glob("lib/*/site-packages/torch")
        (info,) = folder.glob("lib/*/site-packages/torch-*.dist-info")
        damages = {
            package / "__init__.py": b"",
            package / "version.py": b"cuda = None!",  # of the same size
            info / "METADATA": None,
            info / "RECORD": None,
            folder / "pyvenv.cfg": None,
            folder / "complete.json": b"{",
        }
        for file, damaged in damages.items():
            with self.subTest(file=file.name):
                whole = file.read_bytes()
                file.unlink() if damaged is None else file.write_bytes(damaged)
                sentence, _ = self.call("python", "torch", exit_code=3)
                self.assertTrue(sentence.startswith(f"the environment in {folder} is damaged: {file} "), sentence)
                self.assertIn(f"remove it (rm -r {folder})", sentence)
                self.assertEqual(self.call("list")[0], "{}")
                file.write_bytes(whole)
                self.assertEqual(self.call("python", "torch"), (self.python, ""))

    def test_a_file_in_the_place_of_an_environment(self):
        made = Path(self.python).parent.parent
        place = made.with_name(made.name.replace("1.1.0", "1.0.1"))
        place.write_text("")
        self.addCleanup(place.unlink)
        sentence, _ = self.call("python", "torch", "--version=1.0.1", exit_code=3)
        self.assertRegex(sentence, f"Not a directory: .*{re.escape(str(place))}")

    def test_lock_has_a_deadline_and_names_its_holder(self):
        lock = self.folder / "lock"
        with lock.open("a") as file, patch.object(lock_of_one, "NOTICE_SECONDS", 0.1):
            fcntl.flock(file, fcntl.LOCK_EX)
            start, said = time.monotonic(), io.StringIO()
            with self.assertRaisesRegex(Problem, f"waited 0.5 s for process {os.getpid()}.*{lock}"):
                with contextlib.redirect_stderr(said), lock_of_one.locked(lock, deadline_seconds=0.5):
                    self.fail("two hold the lock")
            self.assertLess(time.monotonic() - start, 60)
            self.assertGreater(said.getvalue().count(f"process {os.getpid()} is making"), 1, said.getvalue())

    def test_release_is_chosen(self):
        self.assertEqual(self.version_in(self.call("python", "torch", "--version=1.0")[0]), "1.0.0")

    def test_release_that_does_not_exist(self):
        sentence, _ = self.call("python", "torch", "--version=7.5", exit_code=2)
        self.assertIn("expected a release of torch that pip offers (1.0.0, 1.1.0, 9.0.0), got 7.5", sentence)
        self.assertFalse([name for name in self.environments() if "7.5" in name])
        self.assertIn("got 'newest'", self.call("python", "torch", "--version=newest", exit_code=2)[0])
        self.assertIn("expected a framework of torch, got horovod", self.call("python", "horovod", exit_code=2)[0])

    def test_only_a_build_for_cuda(self):
        sentence, _ = self.call("python", "torch", "--version=9.0.0", exit_code=3)
        for way_out in ("--python PATH", "python3-torch"):
            self.assertIn(way_out, sentence)
        self.assertFalse([name for name in self.environments() if "9.0.0" in name])

    def test_no_index(self):
        nowhere = {
            "PIP_NO_INDEX": "0",
            "PIP_FIND_LINKS": "",
            "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
            "PIP_RETRIES": "0",
        }
        self.assertIn(
            "expected a package index", self.call("python", "torch", "--version=1.0.7", exit_code=3, **nowhere)[0]
        )

    def test_no_venv(self):
        sys.modules["ensurepip"] = None
        self.addCleanup(sys.modules.pop, "ensurepip")
        with self.assertRaisesRegex(Problem, "install python3-venv"):
            require_venv()

    def test_cache_that_cannot_be_written(self):
        self.assertIn("XDG_CACHE_HOME", self.call("python", "torch", exit_code=3, XDG_CACHE_HOME="/proc/nowhere")[0])

    def test_own_python_is_examined(self):
        self.assertIn(
            "got none of numpy, pyzmq", self.call("examine", "torch", f"--python={self.python}", exit_code=2)[0]
        )
        self.install(self.python, *self.needed_by_the_client())
        for release in ("", "1.1", "1.1.0"):
            self.assertEqual(
                self.call("examine", "torch", f"--python={self.python}", f"--version={release}"), (self.python, "")
            )
        self.assertIn(
            "expected torch 1.10 in",
            self.call("examine", "torch", f"--python={self.python}", "--version=1.10", exit_code=2)[0],
        )
        for wrong in ("/nonexistent/python", "/bin/true"):
            self.assertIn(
                f"got {wrong}, which does not work as one",
                self.call("examine", "torch", f"--python={wrong}", exit_code=2)[0],
            )

    def test_a_gpu_needs_a_python_of_ones_own_with_a_build_for_cuda(self):
        sentence, said = self.call("python", "torch", "--device=cuda", exit_code=2)
        self.assertIn("--device cuda: expected --python PATH", sentence)
        self.assertNotIn("making", said)
        self.assertIn(
            "--device: expected cpu or cuda for torch, got sim",
            self.call("python", "torch", "--device=sim", exit_code=2)[0],
        )
        own = self.own_python()
        self.assertIn(
            f"for CUDA in the environment of {own}, got one for CPUs alone",
            self.call(*self.examine(own), "--device=cuda", exit_code=2)[0],
        )
        self.assertEqual(self.call(*self.examine(own), "--device=cpu"), (own, ""))
        self.install(own, "--no-deps", "torch==9.0.0")
        self.assertEqual(self.call(*self.examine(own), "--device=cuda"), (own, ""))

    def own_python(self):
        """With all that the client needs."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.folder / "own")], check=True)
        own = str(self.folder / "own/bin/python")
        self.install(own, "torch==1.0.0", *self.needed_by_the_client())
        return own

    def needed_by_the_client(self):
        for name in ("numpy", "pyzmq"):
            write_wheel(self.wheels, name, "3.0")
        return "numpy", "pyzmq"

    def install(self, python, *packages):
        (pip,) = self.folder.glob("cache/zerocts/environments/pip-*/bin/python")
        command = [pip, "-m", "pip", "--python", python, "install", "--quiet", *packages]
        subprocess.run(command, env=self.variables, check=True)

    @staticmethod
    def examine(python):
        return "examine", "torch", f"--python={python}"


if __name__ == "__main__":
    try:
        require_venv()
    except Problem as problem:
        print(f"skipped: {problem}")
        sys.exit(SKIPPED)
    unittest.main()
