#!/usr/bin/env python3
"""rename_case_file.py renames old names, and nothing else. usage: rename_case_file_test.py RENAME_CASE_FILE"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BEFORE = {
    "clause": "last",
    "gradient_sync": "each",
    "mistake": "option",
    "mistaken_option": "mistake=each",
    "capabilities": {"gradient_sync": ["last", "each"], "read": "last"},
    "division": {"place_at": 4},
}
AFTER = {
    "clause": "last",
    "gradient_sync": "every_micro_batch",
    "invalid_request": "option",
    "invalid_option": "mistake=each",
    "capabilities": {"gradient_sync": ["last_micro_batch", "every_micro_batch"], "read": "last"},
    "division": {"offset_alignment": 4},
}


def run_on(*files):
    return subprocess.run([sys.executable, sys.argv[1], *map(str, files)], capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "case.json"
        file.write_text(json.dumps(BEFORE, indent=2) + "\n")
        assert run_on(file).returncode == 0
        assert file.read_text() == json.dumps(AFTER, indent=2) + "\n", file.read_text()
        assert "nothing to rename" in run_on(file).stdout
        assert run_on(Path(folder) / "none.json").returncode == 2
        assert run_on().returncode == 1
    print("old names were renamed, and a second run changed nothing")


if __name__ == "__main__":
    main()
