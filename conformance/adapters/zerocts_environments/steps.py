"""The steps that make an environment: programs that may fail or hang."""

import importlib.util
import os
import subprocess
import sys

from zerocts_environments import unavailable

STEP_SECONDS = 20 * 60


class StepFailed(Exception):
    def __init__(self, output):
        super().__init__(output)
        self.output = output


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next(
        (line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "it printed nothing"
    )


def run_step(command, variables=None):
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
            f"expected {' '.join(command[:4])} to end within {STEP_SECONDS // 60} minutes, it did not; try again, or "
            "give an environment of your own with --python PATH"
        ) from None
    if ended.returncode != 0:
        raise StepFailed(ended.stdout)
    return ended.stdout


def require_venv():
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise unavailable(
            f"expected a Python that makes virtual environments, got {sys.executable} without it; install python3-venv "
            "(Debian: apt-get install python3-venv), or give an environment of your own with --python PATH"
        )
