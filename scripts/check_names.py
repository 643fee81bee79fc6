#!/usr/bin/env python3
"""Files of a target may be compiled as one (zerocts_compile_together), in groups that depend on the options of a build:
so no two C++ files of a target give a name of their own, in an unnamed namespace, to a constant, a type or a function.

usage: check_names.py ROOT      exit 0 when all names differ, 1 with one line for each that stands twice
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TARGET = re.compile(r"^\s*(?:zerocts_add_\w+|add_library|add_executable)\((\w+)( SEPARATE)?([^)]*)\)", re.MULTILINE)
SOURCE = re.compile(r"[\w./]+\.cpp")
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# At the left margin, as the formatter puts what stands in a namespace.
CONSTANT = re.compile(
    r"^(?:const|constexpr|constinit|thread_local|std::atomic)\b[^=({;]*?(\w+)(?:\[\w*\])?(?: = |\{|;)"
)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)\b(?!;)")
ALIAS = re.compile(r"^using (\w+) = (.*)$")  # may stand twice where it is the same
FUNCTION = re.compile(r"^(?!using|namespace|template|static_assert|return|#|//|\})[\w][\w:<>,&* ]+?[ &*](\w+)\(([^;]*)")


def targets(root):
    """The C++ files of each target that may be compiled together, as its CMakeLists.txt lists them: (name, files)."""
    for file in sorted(root.rglob("CMakeLists.txt")):
        if "build" in file.relative_to(root).parts:
            continue
        for name, separate, arguments in TARGET.findall(file.read_text(encoding="utf-8")):
            files = [file.parent / source for source in SOURCE.findall(arguments)]
            files = [source for source in files if source.is_file()]
            for together in [[source] for source in files] if separate else [files]:
                yield f"{file.parent.relative_to(root).as_posix()}: {name}", together


def names(text):
    """What a file names in unnamed namespaces: (name, parameters of a function, what an alias means)."""
    for block in UNNAMED.findall(text):
        for line in block.splitlines():
            if match := TYPE.match(line) or CONSTANT.match(line):
                yield match[1], "", ""
            elif match := ALIAS.match(line):
                yield match[1], "", match[2]
            elif match := FUNCTION.match(line):
                yield match[1], match[2].split(")")[0], ""


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "CMakeLists.txt").is_file():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds CMakeLists.txt")
    root = Path(sys.argv[1])
    count, problems = 0, []
    for target, files in targets(root):
        given = defaultdict(dict)
        for file in files:
            count += 1
            for name, parameters, meaning in names(file.read_text(encoding="utf-8")):
                given[name, parameters][file.relative_to(root).as_posix()] = meaning
        for (name, _), where in sorted(given.items()):
            same_alias = len(set(where.values())) == 1 and "" not in where.values()
            if len(where) > 1 and not same_alias:
                problems.append(f"{target}: {name} stands in {', '.join(where)}: expected one definition, or two names")
    if not count:
        sys.exit("no source file found: nothing was checked")
    print("\n".join(problems) if problems else f"{count} files: all names differ")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
