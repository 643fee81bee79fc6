"""Runs the program of a section, tells its results while they are made, and ends it when its time is over."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

POLL = 0.1
PATIENCE = 2.0  # what was killed takes a moment to go, and longer to be reaped where nobody hurries
NOT_RUN, USAGE = 77, 2


class Tail:
    """The lines that have been added to a file, which need not be there yet."""

    def __init__(self, path):
        self._path, self._at = Path(path), 0

    def lines(self):
        if not self._path.exists():
            return
        with open(self._path, "rb") as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # not whole yet
                self._at += len(line)
                yield line.decode("utf-8", "replace").rstrip("\n")


def end(process):
    """Ends the program and what it started, and waits until they are gone: the next section has the machine to
    itself.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
    deadline = time.monotonic() + PATIENCE
    while is_there(process.pid) and time.monotonic() < deadline:
        time.sleep(0.01)


def is_there(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def how_it_ended(section, code, timed_out, last_line):
    """(result, reason) of a section."""
    if timed_out:
        return "failed", f"it did not end within {section.seconds} s"
    if code == 0:
        return "passed", ""
    if code == NOT_RUN:
        return "not run", last_line.removeprefix("not run: ")
    if code == USAGE and section.refusal and (refused := re.search(section.refusal, last_line)):
        return "not run", refused[1]
    if code < 0:
        return "failed", f"{signal.Signals(-code).name}; last it said: {last_line}"
    return "failed", f"exit code {code}; last it said: {last_line}"


def run(section, programs, out, environment, on_result):
    """(result, reason) of the section; on_result(..) for each of its results, as soon as it is known."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    log = out / "output.log"
    fill = {"programs": programs, "out": out}
    command = [word.format(**fill) for word in section.command]
    results = Path(section.results_in.format(**fill))
    results.unlink(missing_ok=True)  # of an earlier run
    tail = Tail(results)

    def tell():
        for line in tail.lines():
            result = section.read(line)
            if result:
                on_result(result)

    with open(log, "wb") as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            return "failed", f"{command[0]} cannot be started: {error.strerror}"
    deadline = time.monotonic() + section.seconds
    try:
        while process.poll() is None and time.monotonic() < deadline:
            tell()
            time.sleep(POLL)
        timed_out = process.poll() is None
    finally:
        end(process)
    tell()
    said = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return how_it_ended(section, process.returncode, timed_out, said[-1] if said else "nothing")
