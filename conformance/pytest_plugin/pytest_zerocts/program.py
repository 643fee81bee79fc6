"""The program zerocts: where it is, what it understands, and one run of it with a deadline."""

import dataclasses
import importlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

INSTALLED = Path(__file__).absolute().parents[4] / "bin" / "zerocts"  # above share/zerocts/pytest_plugin
PATIENCE = 60  # seconds for a call that starts no rank
PATIENCE_WITH_THE_END = 30
LINES_KEPT = 40


class Refused(Exception):
    """What zerocts says of a command line that it does not understand."""


@dataclasses.dataclass
class Clause:
    id: str
    title: str


@dataclasses.dataclass
class Ended:
    pid: int
    exit_code: int
    said: str  # the end of its standard error


def find_program(named):
    """`named`, else that of the wheel, else that of this installation, else that of PATH. Raises Refused."""
    if named:
        return named
    if importlib.util.find_spec("zerocts"):
        of_wheel = getattr(importlib.import_module("zerocts"), "PROGRAM", None)  # none: another thing of that name
        if of_wheel:
            return str(of_wheel)
    if INSTALLED.exists():
        return str(INSTALLED)
    found = shutil.which("zerocts")
    if not found:
        raise Refused("expected the program zerocts in PATH, got none; install it, or name it by --zerocts-program")
    return found


def ask(program, *arguments):
    """What a short call prints. Raises Refused."""
    try:
        ended = subprocess.run(
            [program, *arguments], capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Refused(f"--zerocts-program: expected a program that answers, got {problem}") from None
    if ended.returncode != 0:
        raise Refused(ended.stderr.strip() or f"{program} ended with exit code {ended.returncode}")
    return ended.stdout


def words_of_check(program, arguments):
    """{option: value} as zerocts understands the words behind `check`. Raises Refused."""
    told = ask(program, "--dry-run", "check", *arguments)
    return dict(re.findall(r"^  (\S+) +(.*)$", told, re.MULTILINE))


def clauses(program, selectors):
    """Those that the words select; no word selects all. Raises Refused for a word that selects nothing."""
    return [Clause(one["id"], one["name"]) for one in json.loads(ask(program, "list", "--json", *selectors))]


def run(command, seconds):
    """Runs to its end, but no longer than this, and shows its progress meanwhile."""
    was_late, said = threading.Event(), []
    with (
        tempfile.TemporaryFile() as report,  # the terminal shows the items, and the log holds all
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=report,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
        deadline = threading.Timer(seconds, lambda: (was_late.set(), stop(process)))
        deadline.start()
        try:
            for line in process.stderr:
                print(line, end="", file=sys.stderr, flush=True)
                said = [*said, line][-LINES_KEPT:]
            process.wait()
        except BaseException:
            stop(process)
            raise
        finally:
            deadline.cancel()
    if was_late.is_set():
        said.append(f"zerocts: expected the check to end within {seconds} s; give it more by --zerocts-timeout\n")
    return Ended(process.pid, process.returncode, "".join(said).strip())


def stop(process):
    """With all that it started; zerocts itself ends its ranks when it is asked to end."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(PATIENCE_WITH_THE_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
