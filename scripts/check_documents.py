#!/usr/bin/env python3
"""Keeps documents true: every link in a *.md leads to a file and a heading that exist, every file that is named in code
style exists, and README.md stays short.

usage: check_documents.py ROOT      exit 0 when everything is true, 1 with one line for each that is not
"""

import re
import sys
from pathlib import Path

TOP = ("reference", "impl", "conformance", "bench", "scripts")
README_LINES, README_WORDS = 110, 20

FENCE = re.compile(r"^\s*```")
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
IN_TREE = re.compile(rf"(?<![\w/.-])(?:{'|'.join(TOP)})/[\w./+-]*\w")  # a path from the root
SOURCE = re.compile(r"^(?:[\w.-]+/)*[\w.-]+\.(?:cpp|hpp|cuh?|inc|py|cmake)$")  # a file, from any of its folders on
PLACEHOLDER = re.compile(r"[<>*{}$]|\bmy_|(^|[/_])x[._]|no_x|NN\b|\b(X|ID|NAME|SUBJECT|CLAUSE)(\b|_)")


def files_of(root):
    """What the project holds: files at the root and all under its folders, but nothing hidden."""
    files = [file for file in root.iterdir() if file.is_file()]
    files += [file for top in TOP for file in (root / top).rglob("*") if file.is_file()]
    return [file for file in files if not any(part.startswith(".") for part in file.relative_to(root).parts)]


def names_of(files, root):
    """All names of files: one may be named from any of its folders on."""
    paths = [file.relative_to(root).parts for file in files]
    return {"/".join(parts[i:]) for parts in paths for i in range(len(parts))}


def without_fences(text):
    """(number, line, fenced) of each line."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            yield number, "", True
        else:
            yield number, line, fenced or line.startswith("    ")


def anchors(text):
    """Names of the headings, as code hosts make them."""
    headings = [line.lstrip("#").strip() for _, line, code in without_fences(text) if line.startswith("#") and not code]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def problem_of_link(page, target):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"links to {target}, which does not exist"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
        return f"links to {target}, but that page has no such heading"
    return None


def named_files(line, code):
    """Paths from the root, and names of sources, that a line of text or of a command mentions."""
    spans = [line] if code else CODE.findall(line)
    for span in spans:
        if not PLACEHOLDER.search(span):
            yield from IN_TREE.findall(span)
    for span in [] if code else spans:
        if SOURCE.match(span) and not IN_TREE.match(span) and not PLACEHOLDER.search(span):
            yield span


def problems_of_page(root, page, names):
    text = page.read_text(encoding="utf-8")
    for number, line, code in without_fences(text):
        for target in [] if code else LINK.findall(CODE.sub("", line)):
            problem = problem_of_link(page, target)
            if problem:
                yield f"{number}: {problem}"
        for name in named_files(line, code):
            if not (root / name).exists() and (IN_TREE.match(name) or name not in names):
                yield f"{number}: names {name}, which does not exist"


def sentences(text):
    """Yields those of paragraphs, items and cells; a link and a piece of code count as words."""
    blocks = [[]]
    for _, line, code in without_fences(text):
        if code or not line.strip() or line.startswith(("#", "|")) or re.match(r"[-*] ", line):
            blocks.append([])
        if line.startswith("|"):
            blocks += [[cell] for cell in line.strip("|").split("|")] + [[]]
        elif not code and not line.startswith("#"):
            blocks[-1].append(line)
    for block in blocks:
        plain = re.sub(r"\]\([^)]*\)", "]", CODE.sub("code", " ".join(block)))
        yield from re.split(r"(?<=[.!?])\s+", plain)


def problems_of_readme(text):
    lines = len(text.splitlines())
    if lines > README_LINES:
        yield f"has {lines} lines; expected at most {README_LINES}"
    for sentence in sentences(text):
        words = len(re.findall(r"\w[\w'./-]*", sentence))
        if words > README_WORDS:
            yield f"has a sentence of {words} words; expected at most {README_WORDS}: {sentence.strip()}"


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "README.md").is_file():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds README.md")
    root = Path(sys.argv[1]).resolve()
    files = files_of(root)
    names = names_of(files, root)
    pages = sorted(file for file in files if file.suffix == ".md")
    problems = [f"{page.relative_to(root)}:{p}" for page in pages for p in problems_of_page(root, page, names)]
    problems += [f"README.md {p}" for p in problems_of_readme((root / "README.md").read_text(encoding="utf-8"))]
    print("\n".join(problems) if problems else f"{len(pages)} pages: all that they name exists")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
