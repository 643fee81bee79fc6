#!/usr/bin/env python3
"""check_documents.py finds each kind of planted fault, and only that. usage: check_documents_test.py CHECK_DOCUMENTS"""

import sys

from tree_for_test import run_on_faults

FILES = {"impl/comm/meeting.hpp": "", "impl/README.md": "# Engine\n\n## How to add\n\nText.\n", "scripts/run": ""}
GOOD = (
    "# Title\n\nSee [the engine](impl/README.md#how-to-add) and [a page](https://example.org/no/such).\n"
    "It has `meeting.hpp`, `comm/meeting.hpp`, `impl/comm/meeting.hpp`, `impl/<room>/x.cpp`, your `my_adapter.py`.\n\n"
    "    scripts/run impl/comm    # [text](in/a/command.md)\n"
)
BAD = [
    ("See [a page](impl/NONE.md).", "README.md:3: links to impl/NONE.md, which does not exist"),
    ("See [a page](impl/README.md#no-such).", "README.md:3: links to impl/README.md#no-such, but that page has no"),
    ("See `impl/comm/none.hpp`.", "README.md:3: names impl/comm/none.hpp, which does not exist"),
    ("See `none.hpp`.", "README.md:3: names none.hpp, which does not exist"),
    ("See `device/meeting.hpp`.", "README.md:3: names device/meeting.hpp, which does not exist"),
    ("    scripts/none --fast", "README.md:3: names scripts/none, which does not exist"),
    ("Line.\n" * 120, "README.md has 123 lines; expected at most 110"),
    ("word " * 26 + "end.", "README.md has a sentence of 27 words; expected at most 20"),
    ("word " * 20 + "end.", "README.md has a sentence of 21 words; expected at most 20"),
    ("| a | " + "word " * 26 + "|", "README.md has a sentence of 26 words; expected at most 20"),
]


def main():
    faults = [({"README.md": f"# Title\n\n{text}\n"}, expected) for text, expected in BAD]
    run_on_faults({**FILES, "README.md": GOOD}, faults, sys.argv[1])


if __name__ == "__main__":
    main()
