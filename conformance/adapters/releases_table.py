#!/usr/bin/env python3
"""Writes the table of conformance/results/releases.md: what `zerocts upgrade` found.

usage: releases_table.py FOLDER..     each FOLDER is the --out of one `zerocts upgrade`; rows come in this order
"""

import json
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "results" / "releases.md"
BEGIN, END = "<!-- begin of the table: written by releases_table.py -->\n", "<!-- end of the table -->"
HEAD = "| from | to | worse | better | other values | new | gone |\n| --- | --- | --- | --- | --- | --- | --- |\n"


def clauses(diff, *kinds):
    changes = {change["what"] for kind in kinds for change in diff["changes"].get(kind, [])}
    return ", ".join(sorted(changes)) or "none"


def release(text):
    """ "deepspeed-2 0.18.3" of "deepspeed-2 0.18.3: conformant .."."""
    return text.partition(":")[0]


def row(diff):
    declared = diff["declared"]
    values = "<br>".join(f"`{value}`" for value in declared["changed"]) or "none"
    cells = [
        release(diff["before"]), release(diff["after"]),
        clauses(diff, "newly_failing", "lost"), clauses(diff, "newly_passing", "new"),
        values.replace("|", "\\|"), len(declared["added"]), len(declared["removed"]),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |\n"


def main():
    diffs = [json.loads(Path(folder, "upgrade.json").read_text(encoding="utf-8")) for folder in sys.argv[1:]]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(before + BEGIN + HEAD + "".join(map(row, diffs)) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
