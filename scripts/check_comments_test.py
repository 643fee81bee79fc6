#!/usr/bin/env python3
"""check_comments.py finds each kind of planted fault, and only that. usage: check_comments_test.py CHECK_COMMENTS"""

import sys

from tree_for_test import run_on_faults

RETIRED = [
    word.replace("+", "")  # the check reads this file, too
    for word in ("Strat+a", "reck+oned", "like+wise", "Who+ever", "nobody+'s", "de+ar", "sett+les", "for want+ of")
]
GOOD = {
    "impl/comm/meeting.hpp": "// Ranks meet (comm/meeting.hpp), as\n// Of old. See deepspeed/checkpoint/spec.md.\n"
    "int x;  // of a rank\n",
    "scripts/steps.sh": "# Packages, one a line.\n",
    "conformance/guide/glossary.md": f"A strategy that settees hold dearly.\n\n## Old words\n\n{', '.join(RETIRED)}\n",
}
BAD = [
    ("impl/a.cpp", "int x;\n/// Of every rank.\n", "impl/a.cpp:2: begins with Of"),
    ("impl/a.cpp", "int x;  // Of every rank.\n", "impl/a.cpp:1: begins with Of"),
    ("impl/a.cpp", "int x;  // a rank's\n// Of every rank.\n", "impl/a.cpp:2: begins with Of"),
    ("impl/a.c", "/* Of every rank. */\n", "impl/a.c:1: begins with Of"),
    ("impl/a.py", 'def f():\n    """Of every rank."""\n', "impl/a.py:2: begins with Of"),
    *(("impl/a.hpp", f"// So {word} it is.\n", f"impl/a.hpp:1: says {word}") for word in RETIRED),
    *(("README.md", f"So {word} it is.\n", f"README.md:1: says {word}") for word in RETIRED),
    ("impl/a.cpp", f'auto x = "{RETIRED[2]}";\n', f"impl/a.cpp:1: says {RETIRED[2]}"),
    *(
        (f"scripts/x{end}", f"# {RETIRED[2]} of all.\n", f"x{end}:1: says {RETIRED[2]}")
        for end in ("", ".sh", ".cmake", ".txt")
    ),
    ("scripts/x", f"# {RETIRED[3]}\n", f"scripts/x:1: says {RETIRED[3]}"),
    ("conformance/guide/glossary.md", f"{RETIRED[3]}\n\n## Old words\n", f"glossary.md:1: says {RETIRED[3]}"),
    ("impl/a.cpp", "// As in comm/gone.hpp.\n", "impl/a.cpp:1: names comm/gone.hpp, which does not exist"),
]


def main():
    run_on_faults(GOOD, [({path: text}, expected) for path, text, expected in BAD], sys.argv[1])


if __name__ == "__main__":
    main()
