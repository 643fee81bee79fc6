"""machine_mutants.py BUILD SEED COUNT [--seconds S] [--least PERCENT]: see scripts/machine_mutants.

A fault changes one place of one line: a comparison, an operator, a number, a condition, or a call that is left out. The
engine is copied to machine_mutants beside BUILD and compiled file by file there. What compiles to the same plugin is no
fault; every other one is judged on each transport and device until a clause fails. Results are lines of JSON in
results-SEED.ndjson there. Exit code: 0; 1 where less than PERCENT of the faults were found; 3 where the engine without
a fault fails or does not build.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOT_IN_THE_PLUGIN = re.compile(
    r"_test\.|_fuzz\.|/for_test/|for_test\.|/cuda|/nccl|/cublas|impl/library/|_sanitized\.|no_\w+\.cpp"
)
PLUGINS = {
    "subject_native": "lib/zerocts/subjects/native.so",
    "subject_native_on_host": "lib/zerocts/testdata/native_on_host.so",
}
SECONDS_OF_A_CHECK = 900

# What is written, and what is put in its place.
SWAPS = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " / "),
    (" && ", " || "),
    (" || ", " && "),
    (" += ", " -= "),
    (" -= ", " += "),
    ("++", "--"),
    ("true", "false"),
    ("false", "true"),
    ("std::min", "std::max"),
    ("std::max", "std::min"),
    ("continue;", ";"),
]
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
NEGATION = re.compile(r"(?<=[(\s])!(?=[\w(])")
CALL = re.compile(r"^\s+[a-z_][\w.>:-]*\(.*\);$|^\s+[\w.>:-]*[A-Z]\w*\(.*\);$")
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')

# How a plugin is judged, the quickest first.
NATIVE, ON_HOST = PLUGINS
JUDGES = {
    "threads": (NATIVE, "--launcher threads --tier smoke"),
    "sim": (NATIVE, "--launcher threads --tier smoke --device sim"),
    "eight threads": (NATIVE, "--launcher threads --tier smoke --ranks 5,6,8"),
    "local": (NATIVE, "--launcher local --tier smoke"),
    "shm": (NATIVE, "--launcher local --tier smoke --ranks 3 --option comm=shm"),
    "mpirun": (NATIVE, "--launcher mpirun --tier smoke --ranks 3"),
    "shm+mpi": (NATIVE, "--launcher mpirun --tier smoke --ranks 3,4 --option comm=shm+mpi --option ranks_per_host=2"),
    "more cases": (NATIVE, "--launcher threads --cases 200 --seed 2"),
    "cuda_on_host": (ON_HOST, "--launcher threads --tier smoke --device cuda --ranks 3 --cases 5"),
}


class Unjudged(Exception):
    pass


def places(text):
    """(line, begin, end, what is put there) of each fault that the text has room for."""
    for number, line in enumerate(text.splitlines()):
        code = STRING_OR_COMMENT.sub(lambda skipped: "\0" * len(skipped[0]), line)
        if code.lstrip().startswith("#") or re.search(
            r"\bthrow\b|static_assert|^\s*(using|template|namespace)\b", code
        ):
            continue
        for was, now in SWAPS:
            pattern = rf"\b{re.escape(was)}\b" if was.isalpha() else re.escape(was)
            yield from ((number, *found.span(), now) for found in re.finditer(pattern, code))
        yield from ((number, *found.span(), str(int(found[0]) + 1)) for found in NUMBER.finditer(code))
        yield from ((number, *found.span(), "") for found in NEGATION.finditer(code))
        if CALL.match(code):
            yield number, 0, len(line), ";"


def planted(text, place):
    number, begin, end, now = place
    lines = text.splitlines(keepends=True)
    lines[number] = lines[number][:begin] + now + lines[number][end:]
    return "".join(lines)


def drawn(files, seed, count):
    """[(file, place)]; the first ones of a seed are the same for every count."""
    everywhere = [(name, place) for name, text in sorted(files.items()) for place in places(text)]
    random.Random(seed).shuffle(everywhere)
    return everywhere[:count]


def of_the_plugin(tracked):
    return [name for name in tracked if re.match(r"impl/.*\.[ch]pp$", name) and not NOT_IN_THE_PLUGIN.search(name)]


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


class Workshop:
    """A copy of the tree, and its build."""

    def __init__(self, build, zerocts):
        self.zerocts = zerocts or build / "bin/zerocts"
        self.folder = build.parent / "machine_mutants"  # in BUILD it would be a part of what is installed from there
        self.source, self.build = self.folder / "source", self.folder / "build"
        tracked = run(["git", "ls-files"], cwd=ROOT).stdout.split("\n")[:-1]
        for name in tracked:
            self._copy(name)
        self.files = {name: (ROOT / name).read_text(encoding="utf-8") for name in of_the_plugin(tracked)}

    def _copy(self, name):
        """Only where it differs: what is newer is compiled again."""
        original, copy = ROOT / name, self.source / name
        if not original.is_file() or (copy.is_file() and copy.read_bytes() == original.read_bytes()):
            return
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, copy)
        copy.chmod(original.stat().st_mode)

    def configure(self):
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "ZEROCTS_UNITY": "OFF",
            "ZEROCTS_BUILD_MUTANTS": "OFF",
            "BUILD_TESTING": "ON",
        }
        command = ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja"]
        configured = run([*command, *(f"-D{name}={value}" for name, value in options.items())])
        if configured.returncode:
            raise Unjudged(configured.stdout[-2000:])
        targets = run(["ninja", "-C", self.build, "-t", "targets", "all"]).stdout
        self.targets = [target for target in PLUGINS if f"\n{target}: " in targets]

    def make(self):
        """The hash of each plugin; None where the tree does not compile."""
        if run(["ninja", "-C", self.build, *self.targets]).returncode:
            return None
        return {name: hashlib.sha256((self.build / PLUGINS[name]).read_bytes()).hexdigest() for name in self.targets}

    def found_by(self, changed):
        """(how it was judged, the clause that failed), of the first judge that sees a fault in a changed plugin."""
        for name, (target, words) in JUDGES.items():
            if target not in changed:
                continue
            with tempfile.TemporaryDirectory() as out:
                command = [self.zerocts, "check", "--subject", f"plugin:{self.build / PLUGINS[target]}", *words.split()]
                try:
                    answer = run([*command, "--fail-fast", "--no-shrink", "--out", out], timeout=SECONDS_OF_A_CHECK)
                except subprocess.TimeoutExpired:
                    return name, "hang"
            if answer.returncode in (1, 4):
                clause = re.search(
                    r"^(C-ZERO-\d+) .* (?:fail|crash|hang|refused|breach|disagreement|garbage)\b", answer.stdout, re.M
                )
                return name, clause[1] if clause else "ended"
            if answer.returncode not in (0, 6):
                raise Unjudged(f"{name}: zerocts check ended with {answer.returncode}: {answer.stdout[-800:]}")
        return None

    def judged(self, name, place, without):
        """What became of the fault."""
        file, text = self.source / name, self.files[name]
        file.write_text(planted(text, place), encoding="utf-8")
        try:
            made = self.make()
            if made is None:
                return {"outcome": "does not compile"}
            changed = [target for target in self.targets if made[target] != without[target]]
            if not changed:
                return {"outcome": "same code"}
            found = self.found_by(changed)
            return {"outcome": "found", "judge": found[0], "clause": found[1]} if found else {"outcome": "survived"}
        finally:
            file.write_text(text, encoding="utf-8")


def row_of(text, name, place):
    number, begin, end, now = place
    line = text.splitlines()[number]
    return {"file": name, "line": number + 1, "was": line.strip(), "now": (line[:begin] + now + line[end:]).strip()}


def summary(rows):
    counts = {
        outcome: sum(row["outcome"] == outcome for row in rows)
        for outcome in ("found", "survived", "same code", "does not compile")
    }
    faults = counts["found"] + counts["survived"]
    percent = 100 * counts["found"] / faults if faults else 0
    lines = [
        f"survived {row['file']}:{row['line']}\n  {row['was']}\n  {row['now']}"
        for row in rows
        if row["outcome"] == "survived"
    ]
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return percent, "\n".join([*lines, f"{len(rows)} drawn: {words}; found {percent:.0f} % of {faults}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("build", type=lambda folder: pathlib.Path(folder).resolve())
    parser.add_argument("seed", type=lambda text: random.randrange(10**6) if text == "random" else int(text))
    parser.add_argument("count", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no other fault after so many")
    parser.add_argument("--zerocts", type=pathlib.Path, help="the program that judges (default: that of BUILD)")
    parser.add_argument("--least", type=float, default=0, help="percent of the faults that must be found")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    end = time.monotonic() + asked.seconds
    workshop = Workshop(asked.build, asked.zerocts)
    workshop.configure()
    without = workshop.make()
    if not without:
        raise Unjudged(f"the engine does not build: ninja -C {workshop.build} says why")
    if found := workshop.found_by(workshop.targets):
        raise Unjudged(f"the engine without a fault fails {found[1]} ({found[0]})")

    record = workshop.folder / f"results-{asked.seed}.ndjson"
    known = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()] if record.is_file() else []
    rows = []
    for name, place in drawn(workshop.files, asked.seed, asked.count):
        fault = row_of(workshop.files[name], name, place)
        row = next((row for row in known if row.items() >= fault.items()), None)
        if row is None:
            if time.monotonic() > end:
                break
            row = fault | workshop.judged(name, place, without)
            with record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(
                f"[{len(rows) + 1}/{asked.count}] {name}:{fault['line']} {row['outcome']} {row.get('clause', '')}",
                flush=True,
            )
        rows.append(row)
    percent, text = summary(rows)
    print(text)
    return 1 if percent < asked.least else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unjudged as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(3)
