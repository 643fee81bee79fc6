#!/usr/bin/env python3
"""Renames the keys and values of before 1.0 in case files, expectation files, plans and reproducers, in place.

usage: rename_case_file.py FILE..      exit 0: all have the new ones; 1: no file is named; 2: one cannot be read or
written. It goes at 1.0.
"""

import re
import sys
from pathlib import Path

KEYS = {"mistake": "invalid_request", "mistaken_option": "invalid_option", "place_at": "offset_alignment"}
VALUES = {"gradient_sync": {"each": "every_micro_batch", "last": "last_micro_batch"}}


def renamed(text):
    for old, new in KEYS.items():
        text = re.sub(rf'"{old}"(?=\s*:)', f'"{new}"', text)
    for key, values in VALUES.items():
        one_or_list = rf'("{key}"\s*:\s*)("[^"]*"|\[[^\]]*\])'
        text = re.sub(one_or_list, lambda found, values=values: found[1] + renamed_values(found[2], values), text)
    return text


def renamed_values(text, values):
    return re.sub(r'"([^"]*)"', lambda found: f'"{values.get(found[1], found[1])}"', text)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {sys.argv[0]} FILE..")
    for name in sys.argv[1:]:
        try:
            text = Path(name).read_text(encoding="utf-8")
            new = renamed(text)
            if new != text:
                Path(name).write_text(new, encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            print(f"rename_case_file.py: expected a text file that can be read and written; {fault}", file=sys.stderr)
            sys.exit(2)
        print(f"{name}: {'renamed' if new != text else 'nothing to rename'}")


if __name__ == "__main__":
    main()
