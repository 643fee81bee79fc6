"""Commits of a repository in a clone of their own, one after the other in one build folder, so that each builds
little.
"""

import datetime
import itertools
import subprocess
from pathlib import Path

STEP_SECONDS = 3600
SAME_SECOND = 1000  # commits, at most
CONFIGURE = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON"]
WITHOUT = [
    "-DZEROCTS_WITH_MPI=OFF",
    "-DZEROCTS_WITH_CUDA=OFF",
    "-DZEROCTS_WITH_NCCL=OFF",
    "-DZEROCTS_BUILD_MUTANTS=OFF",
]


class StepFailed(Exception):
    """Which step of a commit failed, and its last words: one sentence."""


def run(title, command, folder):
    """The standard output."""
    try:
        ended = subprocess.run(
            list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=STEP_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StepFailed(f"{title} failed: {error}") from None
    if ended.returncode != 0:
        words = (ended.stderr + ended.stdout).split("\n")
        last = next((line for line in words if "error" in line.lower()), next(filter(str.strip, reversed(words)), ""))
        raise StepFailed(f"{title} ended with {ended.returncode}: {last.strip()[:300]}")
    return ended.stdout


def spread_over(repository, first, last, count):
    """`count` commits from `first` to `last`, or all where there are fewer, evenly spread, oldest first."""
    said = run("git rev-list", ["git", "rev-list", "--first-parent", "--reverse", f"{first}..{last}"], repository)
    ids = [full_id(repository, first), *said.split()]
    if len(ids) <= count:
        return ids
    return [ids[round(place * (len(ids) - 1) / (count - 1))] for place in range(count)]


def top_of(folder):
    """The folder of the repository that `folder` stands in."""
    return Path(run("git rev-parse", ["git", "-C", folder, "rev-parse", "--show-toplevel"], ".").strip())


def full_id(repository, commit):
    return run("git rev-parse", ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"], repository).strip()


def date_of(repository, commit):
    """When it was committed. Commits that a rebase wrote in one second follow each other by thousandths."""
    log = ["git", "log", "--first-parent", f"--max-count={SAME_SECOND}", "--format=%cI", commit]
    date, *before = run("git log", log, repository).split()
    place = sum(1 for _ in itertools.takewhile(date.__eq__, before))
    return datetime.datetime.fromisoformat(date).replace(microsecond=1000 * place).isoformat(timespec="milliseconds")


class Clone:
    """`folder` is kept over calls: what is built there is reused. Its build folder is where the preset has it, so that
    a compiler cache knows what other checkouts compiled.
    """

    def __init__(self, repository, folder):
        self.source, self.build = folder / "source", folder / "source" / "build" / "default"
        if not (self.source / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            run("git clone", ["git", "clone", "--shared", "--no-checkout", "--quiet", repository, self.source], folder)

    def build_commit(self, commit, targets, jobs):
        run("git checkout", ["git", "checkout", "--force", "--quiet", "--detach", commit], self.source)
        run("configuring", ["cmake", "-S", self.source, "-B", self.build, *CONFIGURE], self.source)
        run("building", ["ninja", "-C", self.build, "-j", jobs, *targets], self.source)

    def program(self, name):
        return self.build / "bin" / name

    def flags(self):
        """Those with which the compiler was called, as the build folder has them."""
        cache = (self.build / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
        kept = dict(line.split("=", 1) for line in cache if line.startswith("CMAKE_CXX_FLAGS") and "=" in line)
        flags = ("CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE")
        parts = [value for key, value in kept.items() if key.split(":")[0] in flags]
        return " ".join(filter(None, parts))
