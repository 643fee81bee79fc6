#!/usr/bin/env python3
"""Files of a target are compiled as one (zerocts_compile_together), in groups that depend on the options of a build: so
what two C++ files of a target name in unnamed namespaces differs. Functions may differ in their parameters, but for
templates: an overload of another file would be taken in their place without a word.

What files give to a named namespace has one definition: two types of one name, or two functions of headers, are one to
the linker, which keeps the first that it finds.

usage: check_names.py ROOT      exit 0 when all names differ, 1 with one line for each that stands twice
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TARGET = re.compile(r"^\s*(?:zerocts_add_\w+|add_library|add_executable)\((\w+)( SEPARATE)?([^)]*)\)", re.MULTILINE)
VARIABLE = re.compile(r"^\s*set\((\w+)([^)]*)\)", re.MULTILINE)
SOURCE = re.compile(r"[\w./]+\.cpp")
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


def targets(root):
    """The C++ files of each target that may be compiled together, as its CMakeLists.txt lists them: (name, files)."""
    for file in sorted(root.rglob("CMakeLists.txt")):
        if "build" in file.relative_to(root).parts:
            continue
        text = file.read_text(encoding="utf-8")
        for name, separate, arguments in TARGET.findall(text):
            arguments += "".join(value for variable, value in VARIABLE.findall(text) if f"${{{variable}}}" in arguments)
            files = [file.parent / source for source in SOURCE.findall(arguments)]
            files = [source for source in files if source.is_file()]
            for together in [[source] for source in files] if separate else [files]:
                yield f"{file.parent.relative_to(root).as_posix()}: {name}", together


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


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "CMakeLists.txt").is_file():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds CMakeLists.txt")
    root = Path(sys.argv[1])
    count, problems = 0, []
    for target, files in targets(root):
        given = defaultdict(set)
        for file in files:
            count += 1
            for name, meaning in set(names(file.read_text(encoding="utf-8"))):
                given[name].add((file.relative_to(root).as_posix(), meaning))
        for name, uses in sorted(given.items()):
            where = sorted({file for file, _ in uses})
            if len(where) > 1 and clash([meaning for _, meaning in uses]):
                problems.append(f"{target}: {name} stands in {', '.join(where)}: expected one definition, or two names")
    problems += defined_twice(root)
    if not count:
        sys.exit("no source file found: nothing was checked")
    print("\n".join(problems) if problems else f"{count} files: all names differ")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
