"""Pythons with the tools of tools.json, in environments that are made on their first use."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACES = (HERE.parent.parent / "conformance" / "adapters", HERE.parent / "adapters")  # of the sources, of the package
MAKER = next((place / "environment.py" for place in PLACES if (place / "environment.py").is_file()), None)


class Unavailable(Exception):
    """Why this machine cannot have the tool: one sentence."""


def python_with(tool):
    """The Python that has it; what goes on is said on standard error."""
    if MAKER is None:
        raise Unavailable(
            f"expected environment.py in one of {', '.join(map(str, PLACES))}, got none; install zerocts again"
        )
    command = [sys.executable, MAKER, "python", tool, "--recipes", HERE / "tools.json"]
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        raise Unavailable(made.stdout.strip())
    return made.stdout.strip()
