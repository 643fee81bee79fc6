"""Environments in the user's cache folder: each is made on its first use."""

import hashlib
import json
import os
import re
import shutil
import sys
import sysconfig
import time
from pathlib import Path

from zerocts_environments.damage import damaged_file
from zerocts_environments.lock import locked
from zerocts_environments import Problem, say, unavailable
from zerocts_environments.steps import StepFailed, last_line, require_venv, run_step


class Environment:
    """One release of one framework for this Python. It is complete when its marker is there, which is written last. A
    recipe that says "on" sees the packages of that framework's environment too, and has none of them itself.
    """

    def __init__(self, framework, data, version=""):
        self.framework, self.recipe, self.pip_itself = framework, data["frameworks"][framework], data["pip"]
        self.version = version or self.recipe["version"]
        self.base = Environment(self.recipe["on"], data) if "on" in self.recipe else None
        made_of = json.dumps(self.recipe["steps"]) + (self.base.folder.name if self.base else "")
        digest = hashlib.sha256(made_of.encode()).hexdigest()[:8]
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.folder = cache_folder() / f"{framework}-{self.version}-{python}-{digest}"
        self.python = self.folder / "bin" / "python"
        self.marker = self.folder / "complete.json"

    def ready(self):
        return self.marker.is_file() and self.python.exists() and (self.base is None or self.base.ready())

    def damage(self):
        """What of it is not as it was made; None: all is."""
        try:
            expected = json.loads(self.marker.read_text(encoding="utf-8")).get("packages", [])
        except ValueError:
            return self.marker
        if not (self.folder / "pyvenv.cfg").is_file():
            return self.folder / "pyvenv.cfg"
        below = self.base.damage() if self.base else None
        return below or damaged_file(packages_of(self.folder), expected, self.marker.stat().st_mtime)

    def make(self):
        require_venv()
        if self.base:
            python_in(self.base)
        say(
            f"making an environment with {self.framework} {self.version} in {self.folder}, once; it downloads what pip "
            f"has not cached, takes {self.recipe['time']} and {self.recipe['size']} of disk"
        )
        start = time.monotonic()
        if self.folder.exists():
            shutil.rmtree(self.folder)  # half-made by somebody who was interrupted
        self.venv(self.folder, "--without-pip")
        if self.base:
            (packages_of(self.folder) / "base.pth").write_text(f"{packages_of(self.base.folder)}\n", encoding="utf-8")
        self.look_at_torch()
        for step in self.recipe["steps"]:
            self.pip(self.packages(step), step.get("arguments", []), step.get("environment", {}))
        packages = sorted(folder.name for folder in packages_of(self.folder).glob("*.dist-info"))
        marker = {"framework": self.framework, "version": self.version, "packages": packages}
        write_atomically(self.marker, json.dumps(marker))
        say(f"the environment is ready after {time.monotonic() - start:.0f} s")

    @staticmethod
    def venv(folder, *arguments):
        try:
            run_step([sys.executable, "-m", "venv", *arguments, str(folder)])
        except StepFailed as failed:
            raise unavailable(
                f"expected {sys.executable} -m venv to work, it failed: {last_line(failed.output)}; install "
                "python3-venv"
            ) from None

    def packages(self, step):
        # "2.13" is the newest 2.13.x, "2.13.0" just that.
        wanted = self.version if self.version.count(".") >= 2 else self.version + ".*"
        return [package.replace("{version}", wanted) for package in step["packages"]]

    def look_at_torch(self):
        """Stops before the download when all that pip offers is a build for CUDA, whose parts are packages of several
        GB.
        """
        torch = next(
            (package for package in self.packages(self.recipe["steps"][0]) if package.startswith("torch==")), None
        )
        if torch is None:
            return
        report = self.folder / "offered.json"
        self.pip([torch], ["--dry-run", "--no-deps", "--use-feature=fast-deps", "--report", str(report)])
        needs = json.loads(report.read_text())["install"][0]["metadata"].get("requires_dist", [])
        if any(re.match(r"(nvidia|cuda|triton)\b", need) for need in needs):
            raise unavailable(
                f"expected a CPU build of {torch} from pip, got only one for CUDA with several GB of further packages; "
                "let pip find a CPU build (its --find-links or --extra-index-url), give an environment of your own "
                "with --python PATH, or install Debian's python3-torch, python3-numpy and python3-zmq and say --python "
                "/usr/bin/python3"
            )

    def pip(self, packages, arguments=(), variables=None):
        options = "--no-input --progress-bar=off --disable-pip-version-check".split()
        try:
            command = [self.shared_pip(), "-m", "pip", "--python", str(self.python), "install", *options]
            run_step([*command, *arguments, *packages], variables)
        except StepFailed as failed:
            raise self.problem_of(failed.output) from None

    def releases(self):
        """All that pip's index has, oldest first."""
        package = next(p for step in self.recipe["steps"] for p in step["packages"] if p.endswith("{version}"))
        package = package.partition("==")[0]
        try:
            listed = run_step([self.shared_pip(), "-m", "pip", "index", "versions", package])
        except StepFailed as failed:
            listed = failed.output
        found = re.search(r"^Available versions: (.+)$", listed, re.MULTILINE)
        if found is None:
            raise unavailable(f"expected pip to list the releases of {package}, it says: {last_line(listed)}")
        return sorted({version.partition("+")[0] for version in found[1].split(", ")}, key=numbers_of)

    def shared_pip(self):
        """A Python that has pip, for all environments: putting pip into each takes longer than their packages."""
        digest = hashlib.sha256(self.pip_itself.encode()).hexdigest()[:8]
        folder = cache_folder() / f"pip-python{sys.version_info.major}.{sys.version_info.minor}-{digest}"
        python, marker = folder / "bin" / "python", folder / "complete.json"
        if not (marker.is_file() and python.exists()):
            with locked(folder.with_name(folder.name + ".lock")):
                if not (marker.is_file() and python.exists()):
                    self.venv(folder)
                    run_step([str(python), "-m", "pip", "install", "--disable-pip-version-check", self.pip_itself])
                    write_atomically(marker, "{}")
        return str(python)

    def problem_of(self, output):
        """What pip's last words mean."""
        offered = re.search(r"satisfies the requirement (\S+) \(from versions: ([^)]*)\)", output)
        if offered and offered[2] == "none":
            return unavailable(
                f"expected a package index that offers {offered[1]}, pip finds no release of it; check the network and "
                "pip's settings, or give an environment of your own with --python PATH"
            )
        if offered and offered[1].startswith(f"{self.framework}=="):
            known = offered[2].split(", ")
            return Problem(
                f"expected a release of {self.framework} that pip offers ({', '.join(known[-8:])}), got "
                f"{self.version}; choose another --version"
            )
        kept = cache_folder() / f"{self.folder.name}.log"
        kept.write_text(output)
        return unavailable(
            f"expected pip to install {self.framework} {self.version}, it failed: {last_line(output)}; its "
            f"output is in {kept}"
        )


def numbers_of(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def packages_of(environment):
    return Path(sysconfig.get_path("purelib", "posix_prefix", {"base": str(environment)}))


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "zerocts" / "environments"


def write_atomically(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)


def python_in(environment):
    if not environment.ready():
        with locked(environment.folder.with_name(environment.folder.name + ".lock")):
            if not environment.ready():
                make_or_remove(environment)
    elif damaged := environment.damage():
        folder = next(folder for folder in damaged.parents if folder.parent == cache_folder())
        raise unavailable(
            f"the environment in {folder} is damaged: {damaged} is not as it was installed; remove it (rm -r {folder}) "
            "and start again: it is made anew"
        )
    return str(environment.python)


def make_or_remove(environment):
    try:
        environment.make()
    except BaseException:
        shutil.rmtree(environment.folder, ignore_errors=True)
        raise
