"""Can this machine have the framework of a subject?"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED, UNAVAILABLE = 77, 3


def subjects():
    """By name, as frameworks.json has them."""
    return json.loads((HERE / "frameworks.json").read_text(encoding="utf-8"))["subjects"]


def not_there():
    """By adapter, what users ask for that it does not have."""
    return json.loads((HERE / "frameworks.json").read_text(encoding="utf-8"))["not_there"]


def framework_of(subject):
    return subjects()[subject]["framework"]


def ask_for(framework, release=None):
    """(The Python that has it, None), made where there is none yet; or (None, the reason)."""
    wanted = ["--version", release] if release else []
    made = subprocess.run(
        [sys.executable, str(HERE / "environment.py"), "python", framework, *wanted],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return (None, made.stdout.strip()) if made.returncode == UNAVAILABLE else (made.stdout.strip(), None)


def python_for(test, framework, release=None):
    """The Python that has it; skips the test where there is none."""
    python, reason = ask_for(framework, release)
    return python or test.skipTest(reason)


def python_or_skip(framework):
    """The Python that has it; ends this program where there is none."""
    python, reason = ask_for(framework)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    return python
