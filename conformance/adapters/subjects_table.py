#!/usr/bin/env python3
"""Is the table of subjects in README.md what frameworks.json says, and does each adapter say what it does not have?

usage: subjects_table.py [--write]      exit 0: it is, or was written; 1: it is not
"""

import sys

from available import HERE, not_there, subjects

PAGE = HERE / "README.md"
BEGIN, END = "<!-- begin of the subjects: written by subjects_table.py -->\n", "<!-- end of the subjects -->"


def table():
    rows = [f"| `{name}` | {subject['judges']} |" for name, subject in subjects().items()]
    return "\n".join(["| subject | what is judged |", "| --- | --- |", *rows, ""])


def main():
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    wanted = before + BEGIN + table() + END + rest.partition(END)[2]
    if "--write" in sys.argv[1:]:
        PAGE.write_text(wanted, encoding="utf-8")
    elif page != wanted:
        print(f"{PAGE}: expected the subjects of frameworks.json in its table, got others; type {sys.argv[0]} --write")
        return 1
    adapters = {subject["adapter"] for subject in subjects().values()}
    if adapters != set(not_there()):
        print(f"frameworks.json: expected under not_there the adapters {sorted(adapters)}, got {sorted(not_there())}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
