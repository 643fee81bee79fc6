#!/usr/bin/env python3
"""Virtual environments with the frameworks of frameworks.json, in the user's cache folder; only the standard library is
needed.

usage: environment.py python FRAMEWORK [--version X.Y] [--device D]   the Python with this release; the first call makes
its environment
       environment.py examine FRAMEWORK --python PATH [--version X.Y] [--device D]   may the user's own Python serve?
       environment.py list                               the Pythons that are ready with the default releases, as JSON
       {"torch": PYTHON}
       each with --recipes FILE                          what can be had, from another file than frameworks.json

Standard output has the answer, or the one sentence that says why there is none; what is going on is said on standard
error. exit 0: the answer; 2: a mistake of the user; 3: this machine cannot have it (no venv, no package index, only a
build for CUDA)
"""

import argparse
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

LOCK_SECONDS = 30 * 60
STEP_SECONDS = 20 * 60
EXAMINE_SECONDS = 60
NEEDED_BY_THE_CLIENT = ["numpy", "pyzmq"]
CPU, DEVICES = "cpu", ["cpu", "cuda"]


class Problem(Exception):
    """Why there is no environment: one sentence."""

    def __init__(self, sentence, exit_code=2):
        super().__init__(sentence)
        self.exit_code = exit_code


def unavailable(sentence):
    return Problem(sentence, exit_code=3)


def say(text):
    print(f"zerocts: {text}", file=sys.stderr, flush=True)


class Environment:
    """One release of one framework for this Python. It is complete when its marker is there, which is written last."""

    def __init__(self, framework, data, version=""):
        self.framework, self.recipe, self.pip_itself = framework, data["frameworks"][framework], data["pip"]
        self.version = version or self.recipe["version"]
        digest = hashlib.sha256(json.dumps(self.recipe["steps"]).encode()).hexdigest()[:8]
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.folder = cache_folder() / f"{framework}-{self.version}-{python}-{digest}"
        self.python = self.folder / "bin" / "python"
        self.marker = self.folder / "complete.json"

    def ready(self):
        return self.marker.is_file() and self.python.exists()

    def make(self):
        require_venv()
        say(
            f"making an environment with {self.framework} {self.version} in {self.folder}, once; it downloads "
            "what pip has not cached, takes "
            f"{self.recipe['time']} and {self.recipe['size']} of disk"
        )
        start = time.monotonic()
        shutil.rmtree(self.folder, ignore_errors=True)  # half-made by somebody who was interrupted
        self.venv()
        self.pip([self.pip_itself])
        self.look_at_torch()
        for step in self.recipe["steps"]:
            self.pip(self.packages(step), step.get("arguments", []), step.get("environment", {}))
        write_atomically(self.marker, json.dumps({"framework": self.framework, "version": self.version}))
        say(f"the environment is ready after {time.monotonic() - start:.0f} s")

    def venv(self):
        try:
            self.run([sys.executable, "-m", "venv", str(self.folder)])
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
                f"expected a CPU build of {torch} from pip, got only one for CUDA with several GB of further "
                "packages; let pip find a "
                "CPU build (its --find-links or --extra-index-url), give an environment of your own with "
                "--python PATH, or install "
                "Debian's python3-torch, python3-numpy and python3-zmq and say --python /usr/bin/python3"
            )

    def pip(self, packages, arguments=(), variables=None):
        command = [
            str(self.python),
            "-m",
            "pip",
            "install",
            "--no-input",
            "--progress-bar=off",
            "--disable-pip-version-check",
        ]
        try:
            self.run(command + [*arguments, *packages], variables)
        except StepFailed as failed:
            raise self.problem_of(failed.output) from None

    def problem_of(self, output):
        """What pip's last words mean."""
        offered = re.search(r"satisfies the requirement (\S+) \(from versions: ([^)]*)\)", output)
        if offered and offered[2] == "none":
            return unavailable(
                f"expected a package index that offers {offered[1]}, pip finds no release of it; check the "
                "network and pip's settings, or "
                "give an environment of your own with --python PATH"
            )
        if offered and offered[1].startswith(f"{self.framework}=="):
            known = offered[2].split(", ")
            return Problem(
                f"expected a release of {self.framework} that pip offers ({', '.join(known[-8:])}), got "
                f"{self.version}; choose another "
                "--version"
            )
        kept = cache_folder() / f"{self.folder.name}.log"
        kept.write_text(output)
        return unavailable(
            f"expected pip to install {self.framework} {self.version}, it failed: {last_line(output)}; its "
            f"output is in {kept}"
        )

    def run(self, command, variables=None):
        try:
            ended = subprocess.run(
                command,
                env={**os.environ, **(variables or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=STEP_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise unavailable(
                f"expected {' '.join(command[:4])} to end within {STEP_SECONDS // 60} minutes, it did not; try "
                "again, or give an "
                "environment of your own with --python PATH"
            ) from None
        if ended.returncode != 0:
            raise StepFailed(ended.stdout)


class StepFailed(Exception):
    def __init__(self, output):
        super().__init__(output)
        self.output = output


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next(
        (line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "it printed nothing"
    )


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "zerocts" / "environments"


def require_venv():
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise unavailable(
            f"expected a Python that makes virtual environments, got {sys.executable} without it; install "
            "python3-venv (Debian: "
            "apt-get install python3-venv), or give an environment of your own with --python PATH"
        )


def write_atomically(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)


@contextlib.contextmanager
def locked(path, deadline_seconds=LOCK_SECONDS):
    """One process at a time; the kernel lets go of the lock when its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        until, told = time.monotonic() + deadline_seconds, False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                file.seek(0)
                holder = file.read().strip() or "another one"
                if time.monotonic() > until:
                    raise unavailable(
                        f"waited {deadline_seconds} s for process {holder}, which makes the same environment; "
                        "end it and try again"
                    ) from None
                if not told:
                    say(f"process {holder} is making this environment; waiting for it")
                    told = True
                time.sleep(0.2)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def python_in(environment):
    if not environment.ready():
        with locked(environment.folder.with_name(environment.folder.name + ".lock")):
            if not environment.ready():
                make_or_remove(environment)
    return str(environment.python)


def make_or_remove(environment):
    try:
        environment.make()
    except BaseException:
        shutil.rmtree(environment.folder, ignore_errors=True)
        raise


def versions_in(python, distributions):
    """{distribution: version or None} of another Python."""
    return answer_of(
        python,
        "import importlib.metadata as m, json, sys\n"
        "def version(name):\n"
        "  try: return m.version(name)\n"
        "  except m.PackageNotFoundError: return None\n"
        "print(json.dumps({name: version(name) for name in sys.argv[1:]}))",
        *distributions,
    )


def cuda_of_torch_in(python):
    """The release of CUDA that another Python's torch was built for, or None; torch itself is not imported, which takes
    seconds.
    """
    return answer_of(
        python,
        "import importlib.util, json, os, runpy\n"
        "folder, = importlib.util.find_spec('torch').submodule_search_locations\n"
        "print(json.dumps(runpy.run_path(os.path.join(folder, 'version.py')).get('cuda')))",
    )


def answer_of(python, script, *arguments):
    """The JSON that the script prints there."""
    try:
        ended = subprocess.run(
            [python, "-c", script, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=EXAMINE_SECONDS,
            check=True,
        )
        return json.loads(ended.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise Problem(
            f"--python: expected a Python 3.8 or newer, got {python}, which does not work as one "
            f"({type(error).__name__})"
        ) from None


def is_release(found, wanted):
    """2.13.0+cpu is a release 2.13 and 2.13.0."""
    parts = wanted.split(".")
    return found.split("+")[0].split(".")[: len(parts)] == parts


def examine(framework, python, version, device=CPU):
    found = versions_in(python, [framework, *NEEDED_BY_THE_CLIENT])
    missing = [name for name, installed in found.items() if installed is None]
    if missing:
        raise Problem(
            f"--python: expected {framework}, {' and '.join(NEEDED_BY_THE_CLIENT)} in the environment of "
            f"{python}, got none of "
            f"{', '.join(missing)}; install it there, or leave --python out"
        )
    if version and not is_release(found[framework], version):
        raise Problem(
            f"--version: expected {framework} {version} in the environment of {python}, got {found[framework]}; "
            "leave one of both out"
        )
    if device != CPU and cuda_of_torch_in(python) is None:
        raise Problem(
            f"--device {device}: expected a build of torch for CUDA in the environment of {python}, got one for "
            "CPUs alone; give another "
            "with --python PATH, or leave --device out"
        )
    return python


def require_made_for(device):
    if device != CPU:
        raise Problem(
            f"--device {device}: expected --python PATH of an environment with a build of torch for CUDA, got "
            "none; those that zerocts makes "
            "are for CPUs"
        )


def list_ready(data):
    environments = [Environment(framework, data) for framework in data["frameworks"]]
    return json.dumps(
        {environment.framework: str(environment.python) for environment in environments if environment.ready()}
    )


def answer(arguments, data):
    if arguments.what == "list":
        return list_ready(data)
    frameworks = data["frameworks"]
    if arguments.framework not in frameworks:
        raise Problem(f"expected a framework of {', '.join(frameworks)}, got {arguments.framework}")
    if arguments.version and not re.fullmatch(r"\d+(\.\w+)+", arguments.version):
        raise Problem(
            f"--version: expected a release such as {frameworks[arguments.framework]['version']}, got "
            f"'{arguments.version}'"
        )
    if arguments.device not in DEVICES:
        raise Problem(f"--device: expected {' or '.join(DEVICES)} for {arguments.framework}, got {arguments.device}")
    if arguments.what == "examine":
        return examine(arguments.framework, arguments.python, arguments.version, arguments.device)
    require_made_for(arguments.device)
    return python_in(Environment(arguments.framework, data, arguments.version))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["python", "examine", "list"])
    parser.add_argument("framework", nargs="?")
    parser.add_argument("--version", default="")
    parser.add_argument("--python", default="")
    parser.add_argument("--device", default=CPU)
    parser.add_argument("--recipes", type=Path, default=Path(__file__).parent / "frameworks.json")
    arguments = parser.parse_args()
    try:
        data = json.loads(arguments.recipes.read_text(encoding="utf-8"))
        print(answer(arguments, data))
    except Problem as problem:
        print(problem)
        sys.exit(problem.exit_code)
    except OSError as error:
        print(f"expected a cache folder that can be written, got {error}; set XDG_CACHE_HOME to another one")
        sys.exit(3)


if __name__ == "__main__":
    main()
