#!/usr/bin/env python3
"""Files of a target are compiled as one (zerocts_compile_together), in groups that depend on the options of a build: so
what two C++ files of a target name in unnamed namespaces differs. Functions may differ in their parameters, but for
templates: an overload of another file would be taken in their place without a word.

What files give to a named namespace has one definition: two types of one name, or two functions of headers, are one to
the linker, which keeps the first that it finds.

usage: check_names.py ROOT BUILD      exit 0 when all names differ, 1 with one line for each that stands twice
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TOGETHER = re.compile(r'^#include "(.*)"$', re.MULTILINE)  # in a file that CMake writes
NAMED = re.compile(r"^namespace ([\w:]+) \{\n(.*?)^\}  // namespace \1$", re.MULTILINE | re.DOTALL)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
# At the left margin, as the formatter puts what stands in a namespace.
CONSTANT = re.compile(
    r"^(?:const|constexpr|constinit|thread_local|std::atomic)\b[^=({;\n]*?(\w+)(?:\[\w*\])?(?: = |\{|;)", re.MULTILINE
)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)\b(?!;)", re.MULTILINE)
DEFINED_TYPE = re.compile(
    r"^(?:struct|class|enum class|enum|union) (?:[A-Z_]+ )?(\w+)(?= (?:final )?[{:])", re.MULTILINE
)
ALIAS = re.compile(r"^using (\w+) = (.*)$", re.MULTILINE)  # may stand twice where it is the same
FUNCTION = re.compile(
    r"^(template .*\n)?(?!using|namespace|template|static_assert|return)\w[\w:<>,&* ]*?[ &*](\w+)\(([^()]*)",
    re.MULTILINE,
)


def targets(root, build):
    """{name: its C++ files that this build may compile together}"""
    found = defaultdict(set)
    for unity in build.rglob("CMakeFiles/*.dir/Unity/unity_*_cxx.cxx"):
        files = {root / file for file in TOGETHER.findall(unity.read_text(encoding="utf-8"))}
        found[unity.parents[1].stem] |= {file for file in files if not file.is_relative_to(build)}
    return found


def names(text):
    """What a file names in unnamed namespaces: (name, meaning of an alias or types of a function's parameters)."""
    for block in UNNAMED.findall(text):
        for match in ALIAS.finditer(block):
            yield match[1], f"using {match[2]}"
        for match in [*TYPE.finditer(block), *CONSTANT.finditer(block)]:
            yield match[1], ""
        for match in FUNCTION.finditer(block):
            yield match[2], "" if match[1] else f"({', '.join(map(type_of, match[3].split(',')))})"


def type_of(parameter):
    """Without its name: "const Case& c" is "const Case&"."""
    return re.sub(r"^(.*[\w>&*])[ &*]\w+$", r"\1", " ".join(parameter.split()))


def clash(meanings):
    """Would these meanings of one name, a file each, stand in each other's way?"""
    if all(meaning.startswith("using") for meaning in meanings):
        return len(set(meanings)) > 1
    return len(set(meanings)) < len(meanings) or not all(meaning.startswith("(") for meaning in meanings)


def given_to_namespaces(file):
    """What a file defines in named namespaces: (name with its namespace, types of a function's parameters)."""
    for namespace, block in NAMED.findall(UNNAMED.sub("", file.read_text(encoding="utf-8"))):
        for match in DEFINED_TYPE.finditer(block):
            yield f"{namespace}::{match[1]}", ""
        for match in FUNCTION.finditer(block) if file.suffix == ".hpp" else ():
            template = match[1] or ""
            yield f"{namespace}::{match[2]}", f"{template}({', '.join(map(type_of, match[3].split(',')))})"


def defined_twice(root):
    """One sentence for each name of a named namespace that several files define."""
    given = defaultdict(set)
    for file in [each for each in root.rglob("*.[hc]pp") if "build" not in each.relative_to(root).parts]:
        for named in given_to_namespaces(file):
            given[named].add(file.relative_to(root).as_posix())
    for (name, _), files in sorted(given.items()):
        if len(files) > 1:
            yield f"{name} stands in {', '.join(sorted(files))}: expected one definition, or two names"


def meant_twice(root, target, files):
    """One sentence for each name of an unnamed namespace that files of a target would take from each other."""
    given = defaultdict(set)
    for file in files:
        for name, meaning in set(names(file.read_text(encoding="utf-8"))):
            given[name].add((file.relative_to(root).as_posix(), meaning))
    for name, uses in sorted(given.items()):
        where = sorted({file for file, _ in uses})
        if len(where) > 1 and clash([meaning for _, meaning in uses]):
            yield f"{target}: {name} stands in {', '.join(where)}: expected one definition, or two names"


def main():
    if len(sys.argv) != 3 or not (Path(sys.argv[1]) / "CMakeLists.txt").is_file():
        sys.exit(f"usage: {sys.argv[0]} ROOT BUILD, the folder that holds CMakeLists.txt and one in which it is built")
    root = Path(sys.argv[1]).resolve()
    together = targets(root, root / sys.argv[2])
    problems = [problem for target, files in together.items() for problem in meant_twice(root, target, files)]
    problems += defined_twice(root)
    count = sum(map(len, together.values()))
    print("\n".join(problems) if problems else f"{count} files in {len(together)} targets: all names differ")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
