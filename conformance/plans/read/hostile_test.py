#!/usr/bin/env python3
"""Hostile files are refused in a sentence: exit code 2, nothing executed, no crash, no hang, less than 256 MB.

usage: hostile_test.py ZEROCTS [--table]     --table: what each said and took, for conformance/results/checkpoints.md
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hostile_files
from hostile import CANARY, CASES
from hostile.good_files import good_files

SECONDS, MEGABYTES, STEP = 20, 256, 64  # of the processor, for the machine may have other work
WALL_SECONDS = 10 * SECONDS


class Ended:
    """One run of the program, measured by the kernel."""

    def __init__(self, zerocts, path, folder):
        out, err = folder / "stdout", folder / "stderr"
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, str(err), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        ]
        child = os.posix_spawn(zerocts, [zerocts, "plan", "read", str(path)], os.environ, file_actions=actions)
        status, usage = self._wait(child)
        self.code = os.waitstatus_to_exitcode(status)
        self.sentence = err.read_text(errors="replace")
        self.seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024

    @staticmethod
    def _wait(child):
        until = time.monotonic() + WALL_SECONDS
        while True:
            done, status, usage = os.wait4(child, os.WNOHANG)
            if done:
                return status, usage
            if time.monotonic() > until:
                os.kill(child, 9)
                _, status, usage = os.wait4(child, 0)
                return status, usage
            time.sleep(0.005)

    def problem(self, phrase):
        """What is wrong with how it ended, or None."""
        if self.code != 2:
            return f"exit code {self.code}: expected 2"
        if self.sentence.count("\n") != 1 or phrase not in self.sentence:
            return f"expected one sentence with '{phrase}'"
        if self.seconds >= SECONDS:
            return f"{self.seconds:.0f} seconds of the processor: expected less than {SECONDS}"
        if self.megabytes >= MEGABYTES:
            return f"{self.megabytes:.0f} MB: expected less than {MEGABYTES}"
        return None


def written(name, folder):
    """By another process: the kernel counts what a parent had for a child, so this one stays small."""
    command = [sys.executable, hostile_files.__file__, name, str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=WALL_SECONDS).stdout.strip()


def judge_case(zerocts, name, says, temporary):
    folder = Path(temporary) / name / "checkpoint"
    folder.mkdir(parents=True)
    ended = Ended(zerocts, written(name, folder), folder.parent)
    problem = ended.problem(says)
    if (folder / CANARY).exists():
        problem = "it was executed: the canary is there"
    return ended, problem


def judge_beginnings(zerocts, temporary):
    """(runs, problems) of good files that are cut off at every 64th byte."""
    folder = Path(temporary) / "beginnings"
    folder.mkdir()
    runs, problems = 0, []
    for file, path in good_files(folder):
        whole = file.read_bytes()
        for end in range(0, len(whole), STEP):
            file.write_bytes(whole[:end])
            runs += 1
            problem = Ended(zerocts, path, folder).problem("")
            if problem:
                problems.append(f"{file.name} cut off at byte {end}: {problem}")
        file.write_bytes(whole)
    return runs, problems


def main():
    zerocts, table = os.path.abspath(sys.argv[1]), "--table" in sys.argv
    problems = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, (says, _) in CASES.items():
            ended, problem = judge_case(zerocts, name, says, temporary)
            said = ended.sentence.strip().replace(temporary, "").split(": ", 2)[-1][:110].replace("|", "\\|")
            if table:
                print(f"| {name.replace('_', ' ')} | {ended.code} | {ended.megabytes:.0f} | {said} |")
            if problem:
                problems.append(f"{name}: {problem}; got: {ended.sentence.strip()[:300]}")
        runs, of_beginnings = judge_beginnings(zerocts, temporary)
        problems += of_beginnings
    print(f"{len(CASES)} hostile files and {runs} beginnings of good ones, {len(problems)} problems")
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
