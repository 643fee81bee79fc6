#!/usr/bin/env python3
"""Keeps comments true and whole: a path that one names exists, and none begins in the middle of a sentence, with "Of".
Keeps retired words out of pages, headers and messages; the table of old words at the end of the glossary has them.

usage: check_comments.py ROOT      exit 0 when all are well, 1 with one line for each that is not
"""

import re
import sys
from pathlib import Path

from check_documents import files_of, names_of

MARKS = {".py": ("#", '"""'), ".cmake": ("#",), ".txt": ("#",), "": ("#",), ".sh": ("#",)}
C_MARKS = ("//", "/*", " *")
SUFFIXES = (".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".inc", *MARKS)
PAGES = ".md"

BEGINS_IN_THE_MIDDLE = re.compile(r"Of\b")
PATH = re.compile(r"(?<![\w/.<-])[\w-]+(?:/[\w.-]+)*/[\w.-]+\.(?:cpp|hpp|cuh?|h|inc|py|cmake|md|json)\b")
RETIRED = re.compile(
    r"strat(?:um|a)|\breckon\w*|\blikewise\b|\bwhoever\b|\bnobody's\b|\bdear\b|\bsettl\w*|\bfor want of\b",
    re.IGNORECASE,
)
GLOSSARY, OLD_WORDS = "conformance/guide/glossary.md", "## Old words"
NOT_OURS = re.compile(r"^([A-Z]+|save-[0-9a-f]+|deepspeed|torch)/")  # made up, or of others


def comments_of(file, lines):
    """(number, text, begins) of each line of a comment; begins: it is the first line of one."""
    marks = MARKS.get(file.suffix, C_MARKS)
    whole = rf"^\s*(?:{'|'.join(map(re.escape, marks))})[/*<!]*\s*(.*)"
    behind_code = rf".*?[;{{}},)]\s\s{marks[0]}[/<]*\s*(.*)"
    comment = re.compile(f"{whole}|{behind_code}")
    inside = False
    for number, line in enumerate(lines, 1):
        match = comment.match(line)
        if match:
            whole_line = match.group(1) is not None
            yield number, (match.group(1) or match.group(2) or ""), not (inside and whole_line)
            inside = whole_line
        else:
            inside = False


def problems_of(file, lines, names):
    for number, text, begins in comments_of(file, lines):
        if begins and BEGINS_IN_THE_MIDDLE.match(text):
            yield f"{number}: begins with {text.split()[0]}: say first what it is, or what it does"
        for path in PATH.findall(text):
            if not NOT_OURS.match(path) and path not in names:
                yield f"{number}: names {path}, which does not exist"


def retired_words_of(path, lines):
    for number, line in enumerate(lines, 1):
        if path == GLOSSARY and line == OLD_WORDS:
            return
        for word in RETIRED.findall(line):
            yield f"{number}: says {word}: {GLOSSARY} has the word for it"


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "scripts").is_dir():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds scripts/")
    root = Path(sys.argv[1]).resolve()
    files = files_of(root)
    names = names_of(files, root)
    checked, problems = 0, []
    for file in sorted(file for file in files if file.suffix in (*SUFFIXES, PAGES)):
        path = file.relative_to(root).as_posix()
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found = [*retired_words_of(path, lines)]
        if file.suffix != PAGES:
            checked += 1
            found += problems_of(file, lines, names)
        problems += [f"{path}:{problem}" for problem in found]
    print("\n".join(problems) if problems else f"{checked} files: their comments begin well, and name what exists")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
