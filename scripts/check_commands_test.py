#!/usr/bin/env python3
"""check_commands.py finds each kind of planted fault, and only that.

usage: check_commands_test.py CHECK_COMMANDS BUILD
"""

import sys

from tree_for_test import run_on_faults

FILES = {
    "CMakeLists.txt": "",
    "CMakePresets.json": "",
    "CTestConfig.cmake": "",
    "scripts/run": "",
    "scripts/fuzz": "--seconds",
    "scripts/cmake/ours.cmake": "function(zerocts_add_conformance_tests target)\nendfunction()\n",
    "conformance/contract/reduction/mutants/M20.patch": "",
}
GOOD = """# Title

Run `zerocts check --subject plugin:./my_zero.so`, then `scripts/fuzz --seconds 60`; `--tier` and
`ZEROCTS_TIER` say how much.

    $ zerocts check C-ZERO-010 --subject native --launcher threads --ranks 3 --tier smoke   # one clause
    zerocts plan make --model 8 --plan contiguous --stage 3 --ranks 2 --out plan.json
    zerocts check norm --subject native \\
      --cases N
    scripts/run mutants M20 --seeds 5
    ctest --test-dir build/default -R meta.commands
    zerocts_add_conformance_tests(my_zero LAUNCHERS threads)
"""
BAD = [
    (
        "    zerocts check --subjects native",
        "is not understood: zerocts: expected an option of check, got '--subjects'",
    ),
    ("Call `zerocts chek`.", "is not understood: zerocts: expected a subcommand, got 'chek'"),
    ("    scripts/run check C-ZERO-999", "got 'C-ZERO-999', which matches nothing"),
    ("    zerocts explain C-ZERO-999", "names C-ZERO-999, which does not exist"),
    ("    zerocts check nowhere --subject native", "got 'nowhere', which matches nothing"),
    ("    zerocts mutants M999", "names the mutant M999, which does not exist"),
    ("    zerocts plan make --model 8 --plan nobodys --ranks 2", "ends with exit code 2"),
    ("    scripts/none --fast", "runs scripts/none, which does not exist"),
    ("    scripts/fuzz --minutes 1", "gives --minutes, which scripts/fuzz does not know"),
    ("Try `ctest -R no.such.test`.", "selects no test by -R no.such.test"),
    ("Try `ninja -C build/default no_target`.", "builds no_target, which is no target"),
    ("    zerocts_add_nothing(my_zero)", "calls zerocts_add_nothing, which is no function of CMake"),
    ("It takes `--no-such-option`.", "names the option --no-such-option, which does not exist"),
    ("Set `ZEROCTS_NO_SUCH`.", "names ZEROCTS_NO_SUCH, which does not exist"),
]


def main():
    faults = [({"README.md": f"# Title\n\n{text}\n"}, "README.md:3: `", expected) for text, expected in BAD]
    run_on_faults({**FILES, "README.md": GOOD}, faults, *sys.argv[1:3])


if __name__ == "__main__":
    main()
