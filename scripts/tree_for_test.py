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
