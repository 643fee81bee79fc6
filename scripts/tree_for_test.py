"""A tree of files that tests make for a check of these scripts."""

import subprocess
import sys
import tempfile
from pathlib import Path


def run_on(files, check, *arguments):
    """What the check says of {path: text}; `arguments` follow the root."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, check, root, *arguments], capture_output=True, text=True, check=False)


def run_on_faults(good, faults, check, *arguments):
    """The check finds nothing in the tree `good`. For each fault, {path: text} and parts of a line, it says it."""
    ended = run_on(good, check, *arguments)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    for changes, *expected in faults:
        ended = run_on({**good, **changes}, check, *arguments)
        seen = f"{changes}\nexpected: {expected}\ngot: {ended.stdout}{ended.stderr}"
        assert ended.returncode == 1 and len(ended.stdout.splitlines()) == 1, seen
        assert all(part in ended.stdout for part in expected), seen
    print(f"{len(faults)} faults were found")
