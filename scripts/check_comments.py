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

BEGINS_IN_THE_MIDDLE = re.compile(r"Of\b")
PATH = re.compile(r"(?<![\w/.<-])[\w-]+(?:/[\w.-]+)*/[\w.-]+\.(?:cpp|hpp|cuh?|h|inc|py|cmake|md|json)\b")
RETIRED = re.compile(
    r"strat(?:um|a)|\breckon\w*|\blikewise\b|\bwhoever\b|\bnobody's\b|\bdear\b|\bsettl\w*|\bfor want of\b",
    re.IGNORECASE,
)
HAVE_WORDS = (".md", ".py", "", *(suffix for suffix in SUFFIXES if suffix not in MARKS))
GLOSSARY, OLD_WORDS = "conformance/guide/glossary.md", "## Old words"
NOT_OURS = re.compile(r"^([A-Z]+|save-[0-9a-f]+|deepspeed|torch)/")  # made up, or of others


def comments_of(file):
    """(number, text, begins) of each line of a comment; begins: it is the first line of one."""
    marks = MARKS.get(file.suffix, C_MARKS)
    whole = rf"^\s*(?:{'|'.join(map(re.escape, marks))})[/*<!]*\s*(.*)"
    behind_code = rf".*?[;{{}},)]\s\s{marks[0]}[/<]*\s*(.*)"
    comment = re.compile(f"{whole}|{behind_code}")
    inside = False
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = comment.match(line)
        if match:
            whole_line = match.group(1) is not None
            yield number, (match.group(1) or match.group(2) or ""), not (inside and whole_line)
            inside = whole_line
        else:
            inside = False


def problems_of(file, names):
    for number, text, begins in comments_of(file):
        if begins and BEGINS_IN_THE_MIDDLE.match(text):
            yield f"{number}: begins with {text.split()[0]}: say first what it is, or what it does"
        for path in PATH.findall(text):
            if not NOT_OURS.match(path) and path not in names:
                yield f"{number}: names {path}, which does not exist"


def retired_words_of(file, root):
    in_glossary = file.relative_to(root).as_posix() == GLOSSARY
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if in_glossary and line == OLD_WORDS:
            return
        for word in RETIRED.findall(line):
            yield f"{number}: says {word}: {GLOSSARY} has the word for it"


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "scripts").is_dir():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds scripts/")
    root = Path(sys.argv[1]).resolve()
    files = files_of(root)
    names = names_of(files, root)
    checked = [file for file in sorted(files) if file.suffix in SUFFIXES]
    problems = [f"{file.relative_to(root)}:{problem}" for file in checked for problem in problems_of(file, names)]
    problems += [
        f"{file.relative_to(root)}:{problem}"
        for file in sorted(files)
        if file.suffix in HAVE_WORDS
        for problem in retired_words_of(file, root)
    ]
    print("\n".join(problems) if problems else f"{len(checked)} files: their comments begin well, and name what exists")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
