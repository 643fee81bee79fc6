#!/usr/bin/env python3
"""Keeps the commands of the documents true. Each command of zerocts in a *.md is parsed by the program itself
(zerocts --dry-run); clauses, families, profiles and mutants that it names exist; `zerocts plan make`, `cost` and `draw`
of a model are run. ctest patterns and labels select a test, targets of ninja can be built, scripts, CMake functions,
programs, options and ZEROCTS_ names exist.

usage: check_commands.py ROOT BUILD      exit 0 when everything is true, 1 with one line for each that is not
"""

import re
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from check_documents import TOP

PATIENCE = 300  # seconds for one command, on a machine with other work
OTHERS_OPTIONS = {"--label-regex", "--test-dir", "--resource-spec-file", "--parallel", "--output-junit", "--prefix",
                  "--install", "--preset", "--build", "--nproc-per-node", "--host", "--nodes", "--ntasks-per-node",
                  "--gpus-per-node"}  # of ctest, cmake, torchrun, mpirun and srun  # fmt: skip
QUICK = re.compile(r"^plan (make|cost|draw) --model (?!.*(deepspeed|torch|fairscale|FILE|\.json|\.safetensors))")

CODE = re.compile(r"`([^`]+)`")
FENCE = re.compile(r"^\s*```")
BEGINS = re.compile(r"^\$? ?(?:build/default/bin/|PREFIX/bin/)?(zerocts|scripts/\w+|ctest|ninja|zerocts_\w+)(?=[ (]|$)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]+)")
NAME = re.compile(r"\bZEROCTS_[A-Z0-9_]*[A-Z0-9]\b(?!\*)")
CLAUSE = re.compile(r"\bC-ZERO-\d{3}\b")
FIGURES = re.compile(r"\s{3,}\d")  # a line of a printed table
PLACEHOLDER = re.compile(r"^[A-Z][A-Z_]*$")
STANDS_FOR = {"--subject": "native", "--shard": "1/2"}  # behind these options no number is understood
OF_CLAUSES = re.compile(r"^(or|[A-Z_|]+|C-ZERO-N+)$")  # of check, all of which may be left out


def pieces(text):
    """(number, command or None, line) of a document: a command is a line of code, with those that continue it, or a
    span of code style that begins as one."""
    fenced, whole, begun = False, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            continue
        if not (fenced or line.startswith("    ") or whole):
            yield number, None, line
            yield from ((number, span, line) for span in CODE.findall(line) if BEGINS.match(span))
            continue
        begun = begun if whole else number
        whole += line.strip()
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        yield begun, whole, whole
        whole = ""


def words_of(command):
    """Without the comment, the marks of syntax, and what is cut short."""
    plain = re.sub(r"[\[\]]", "", re.sub(r"\s+#.*|\s+;.*|\s+>.*|\s+&&.*|\s\s+\w+.*$", "", command.lstrip("$ ")))
    plain = plain.replace("\\|", "|")
    return [word for word in shlex.split(plain) if word not in ("..", "|")]


class Project:
    def __init__(self, root, build):
        self.root, self.build = root, build
        self.zerocts = build / "bin" / "zerocts"

    def output(self, *command):
        run = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return run.returncode, run.stdout, run.stderr

    @cache
    def sources(self):
        """Everything that is no document, as one text."""
        files = [file for top in TOP for file in (self.root / top).rglob("*") if file.is_file()]
        files += [self.root / name for name in ("CMakeLists.txt", "CMakePresets.json", "CTestConfig.cmake")]
        others = [file for file in files if file.suffix not in (".md", ".gch", ".pyc")]
        return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in others)

    @cache
    def listed(self):
        return self.output(self.zerocts, "list")[1]

    @cache
    def options(self):
        return set(OPTION.findall(self.output(self.zerocts, "completion", "bash")[1])) | {"--help", "--version"}

    @cache
    def targets(self):
        listing = self.output("ninja", "-C", self.build, "-t", "targets", "all")[1]
        return {line.split(":")[0] for line in listing.splitlines()}

    @cache
    def tests_of(self, flag, pattern):
        found = re.search(r"Total Tests: (\d+)", self.output("ctest", "--test-dir", self.build, "-N", flag, pattern)[1])
        return int(found[1]) if found else 0


def is_name(words):
    """A subcommand, and perhaps an option of it, in running text: `zerocts report`, `zerocts check --subject`."""
    return all(re.fullmatch(r"[a-z-]+", word) for word in words)


def stand_in(words, index):
    """What the program understands where a place-holder stands, or the word itself."""
    option = words[index - 1] if index else ""
    if option in STANDS_FOR and re.search(r"(^|[-/])[A-Z]", words[index]):
        return STANDS_FOR[option]
    return "1" if PLACEHOLDER.match(words[index]) else words[index]


def with_stand_ins(words):
    first = first_option(words)
    clauses = range(1, first if words[0] == "check" else 1)
    return [stand_in(words, i) for i in range(len(words)) if i not in clauses or not OF_CLAUSES.match(words[i])]


def parsed(project, words):
    """Nothing, or why the program does not understand them. A place-holder may stand for a number, and a command that
    is only named need not have all that it requires."""
    for given in (words, with_stand_ins(words)):
        code, _, error = project.output(project.zerocts, "--dry-run", *given)
        is_short = " is required" in error or " required TEXT missing" in error
        if code == 0 or (is_name(words) and is_short):
            return ""
    return error.strip()


def problems_of_zerocts(project, words):
    if not words or words[0] in ("worker", "--dry-run"):
        return
    problem = "" if words == ["plan"] else parsed(project, words)
    if problem:
        yield f"is not understood: {problem}"
        return
    for clause in CLAUSE.findall(" ".join(words)):
        if clause not in project.listed():
            yield f"names {clause}, which does not exist"
    for mutant in [word for word in words if re.fullmatch(r"[MB]\d+", word)]:
        if not list((project.root / "conformance").glob(f"**/{mutant}.patch")):
            yield f"names the mutant {mutant}, which does not exist"
    if QUICK.match(" ".join(words)) and not any(PLACEHOLDER.match(word) for word in words):
        yield from problems_of_run(project, words)


def first_option(words):
    return next((i for i, word in enumerate(words) if word.startswith("-")), len(words))


def problems_of_run(project, words):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [str(project.zerocts), *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    if run.returncode != 0:
        yield f"ends with exit code {run.returncode}: {run.stderr.strip()}"


def problems_of_ctest(project, words):
    for flag, pattern in zip(words, words[1:]):
        asked = {"-R": "-R", "-L": "-L", "--label-regex": "-L", "--tests-regex": "-R"}.get(flag)
        if asked and project.tests_of(asked, pattern) == 0:
            yield f"selects no test by {flag} {pattern}"


def problems_of_ninja(project, words):
    for target in words[3:] if words[1:2] == ["-C"] else words[1:]:
        known = target in project.targets() or PLACEHOLDER.match(target) or target.endswith("NN")
        if not known:
            yield f"builds {target}, which is no target"


def problems_of_command(project, command):
    begin = BEGINS.match(command)
    if not begin or FIGURES.search(command):
        return
    program = begin[1]
    if re.match(r"zerocts_\w+\(|zerocts_add_", command):
        name = re.match(r"\w+", command)[0]
        if not re.search(rf"(function|macro)\({name}\b", project.sources()):
            yield f"calls {name}, which is no function of CMake"
        return
    try:
        words = words_of(command)
    except ValueError as wrong:
        yield f"is no line of a shell: {wrong}"
        return
    if program == "zerocts":
        yield from problems_of_zerocts(project, words[1:])
    elif program.startswith("zerocts_"):
        if program not in project.targets() and not (project.root / "conformance/adapters" / program).is_dir():
            if not re.search(rf"\b{program}\b", project.sources()):
                yield f"runs {program}, which does not exist"
    elif program == "ctest":
        yield from problems_of_ctest(project, words)
    elif program == "ninja":
        yield from problems_of_ninja(project, words)
    else:
        yield from problems_of_script(project, program, words[1:])


def problems_of_script(project, script, words):
    if not (project.root / script).exists():
        yield f"runs {script}, which does not exist"
    elif script == "scripts/run" and words and not words[0].startswith("zerocts"):
        yield from problems_of_zerocts(project, words)
    elif script == "scripts/two_hosts" and words and words[0].endswith("/zerocts"):
        yield from problems_of_zerocts(project, words[1:])
    elif script != "scripts/run" and (project.root / script).is_file():
        text = (project.root / script).read_text(encoding="utf-8")
        for option in OPTION.findall(" ".join(words)):
            if option not in text and option not in OTHERS_OPTIONS:
                yield f"gives {option}, which {script} does not know"


def problems_of_line(project, line):
    """Options and variables that a line of text names."""
    for span in CODE.findall(line):
        for option in OPTION.findall(span):
            if option not in project.options() | OTHERS_OPTIONS and option not in project.sources():
                yield f"names the option {option}, which does not exist"
        for name in NAME.findall(span):
            option = "--" + name.removeprefix("ZEROCTS_").lower().replace("_", "-")
            if name not in project.sources() and option not in project.options():
                yield f"names {name}, which does not exist"


def problems_of_page(project, page):
    for number, command, line in pieces(page.read_text(encoding="utf-8")):
        problems = problems_of_line(project, line) if command is None else problems_of_command(project, command)
        for problem in problems:
            yield f"{number}: `{command or line.strip()[:60]}` {problem}"


def main():
    if len(sys.argv) != 3 or not (Path(sys.argv[2]) / "bin" / "zerocts").is_file():
        sys.exit(f"usage: {sys.argv[0]} ROOT BUILD, the sources and a build folder that has bin/zerocts")
    project = Project(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    pages = [project.root / "README.md"] + [page for top in TOP for page in (project.root / top).rglob("*.md")]
    problems = [f"{page.relative_to(project.root)}:{p}" for page in pages for p in problems_of_page(project, page)]
    print("\n".join(problems) if problems else f"{len(pages)} pages: every command is understood")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
