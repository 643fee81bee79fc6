#!/usr/bin/env python3
"""Keeps DESIGN's rooms true: who may include whom, which third-party headers a room may use, what the folders of a room
may use, that one reader with limits parses JSON, and that nothing new stands at the top.

usage: check_rooms.py ROOT      exit 0 when everything is allowed, 1 with one line for each that is not
"""

import re
import sys
from pathlib import Path

# All that stands at the top, beside names with a dot and what .gitignore names.
TOP = {
    *("reference", "impl", "conformance", "bench", "scripts"),
    *("CMakeLists.txt", "CTestConfig.cmake", "README.md", "LICENSE", "CMakePresets.json"),
}
IGNORED = ("build", "zerocts-", "CMakeUserPresets.json", "Testing")  # ctest leaves the last where it finds no test

# Each line of rooms from the ground up; a room may include the rooms to its left.
LINES = {
    "reference": ["numerics", "ops", "optim", "model", "experiment", "plan", "train"],
    "conformance": ["abi", "cases", "host", "check", "report", "plans", "watch", "contract", "session", "cli"],
    "impl": ["layout", "device", "comm", "tensor_parallel", "stages", "library", "subject"],
}
BESIDE = [
    "conformance/specimen",
    "conformance/adapters",
    "conformance/meta_tests",
]  # may include any room of conformance
INSTALLED = "impl/library/zerocts"  # headers that need the standard library alone
OUTSIDE = (
    "conformance/meta_tests/consumer"  # projects that a test takes out of the tree: their own headers stand beside them
)
STAND_INS = "impl/cuda_on_host"  # beside, for tests: may include the rooms that it stands in for
ALL = [f"{line}/{room}" for line, rooms in LINES.items() for room in rooms]


def reference_up_to(last):
    rooms = LINES["reference"]
    return {f"reference/{room}" for room in rooms[: rooms.index(last) + 1]}


def stack(*folders):
    """Folders that each may include those before it."""
    return {folder: folders[:height] for height, folder in enumerate(folders)}


# The folders of a room, each with the folders that it may include beside itself. What tests share stands in for_test.
# In LAYERED rooms a folder is a layer, no file stands beside them, and other rooms may include each. In the others it
# is a backend: only tests, benches and stand-ins look into it; product code goes by the headers of the room.
LAYERED = {
    *("conformance/host", "conformance/cases", "conformance/check", "conformance/report", "conformance/session"),
    *("reference/plan", "impl/stages", "impl/subject"),
}
FOLDERS = {
    "conformance/cases": stack("case", "capabilities", "inputs", "draws", "dimensions", "whole", "drawing"),
    "conformance/check": {
        "expected": [],
        "finding": ["expected"],
        "observation": ["expected", "finding"],
        "cause": ["expected", "finding", "observation"],
        "compare": ["expected", "finding", "observation", "cause"],
        "bounded": ["expected", "finding", "observation", "compare"],
        "order": ["expected", "finding", "observation"],
        "cost": ["finding"],
        "events": ["finding"],
    },
    "conformance/report": {
        "log": [],
        "words": ["log"],
        "view": ["log", "words"],
        "diagnosis": ["view"],
        "terminal": ["words", "view", "diagnosis"],
        "html": ["log", "words", "view", "terminal"],
        "ci": ["words", "view", "terminal"],
    },
    "conformance/session": {
        "configuration": [],
        "coverage": ["configuration"],
        "failure": ["configuration"],
        "expectations": ["configuration", "failure"],
        "property": ["configuration", "coverage", "failure", "expectations"],
        "run": ["configuration", "coverage", "failure", "expectations", "property"],
    },
    "conformance/host": {
        "system": [],
        "wire": ["system"],
        "memory": ["system", "wire"],
        "rank": ["system", "wire", "memory"],
        "subjects": ["system"],
        "launchers": ["system", "subjects"],
        "conductor": ["system", "wire", "subjects", "launchers"],
    },
    "conformance/plans": {"fuzz": [], "examples": [], "read": ["fuzz"]},
    "impl/device": {"sim": [], "cublas": [], "cuda": ["cublas"]},
    "impl/comm": {"direct": [], "mpi": ["direct"], "nccl": []},
    "reference/plan": {
        "value": [],
        "runs": ["value"],
        "ours": ["value", "runs"],
        "judge": ["value", "runs"],
        "forms": ["value", "runs"],
        "costs": ["value", "runs"],
    },
    "impl/layout": {},
    "impl/tensor_parallel": {"mpi": []},
    "impl/stages": {
        "arrangement": [],
        "streams": [],
        "rank": ["arrangement", "streams"],
        "stores": ["arrangement", "streams", "rank"],
        "model": ["arrangement", "streams", "rank", "stores"],
        "engine": ["arrangement", "streams", "rank", "stores", "model"],
    },
    "impl/library": {"zerocts": []},
    "impl/subject": {
        "options": [],
        "open": ["options"],
        "checkpoint": ["open"],
        "plugin": ["options", "open", "checkpoint"],
    },
    STAND_INS: {},
}
FOR_TEST = "for_test"

EXTRA = {room: set() for room in ALL + BESIDE + [STAND_INS, "bench"]}
for room in LINES["conformance"][1:]:
    EXTRA[f"conformance/{room}"] |= reference_up_to("plan")
for room in LINES["conformance"][LINES["conformance"].index("check") :]:
    EXTRA[f"conformance/{room}"] |= reference_up_to("train")
for room in LINES["impl"]:
    EXTRA[f"impl/{room}"] |= reference_up_to("plan") | {"conformance/abi"}
EXTRA[STAND_INS] |= {"impl/layout", "impl/device", "impl/comm"} | reference_up_to("plan")
for room in BESIDE:
    EXTRA[room] |= {f"conformance/{r}" for r in LINES["conformance"]} | reference_up_to("train")
EXTRA["bench"] |= set(ALL) - {"conformance/contract"}

# Third-party headers by room, and what a folder may include beside them; a header is named by its first path component
# or its whole name.
STANDARD = re.compile(r"^([a-z_0-9]+|std[a-z]+\.h)$")
POSIX = """
cxxabi.h dirent.h dlfcn.h err.h errno.h fcntl.h fenv.h float.h glob.h ifaddrs.h immintrin.h limits.h linux malloc.h
math.h net netdb.h netinet poll.h pthread.h sched.h signal.h spawn.h stddef.h stdint.h stdio.h stdlib.h string.h sys
time.h unistd.h xmmintrin.h
""".split()
THIRD_PARTY = {  # rooms without a row use none
    "reference/experiment": {"nlohmann", "xxhash.h"},
    "reference/plan": {"nlohmann", "fmt"},
    "reference/train": {"nlohmann", "fmt"},
    "conformance/cases": {"nlohmann", "fmt", "xxhash.h"},
    "conformance/cases/drawing": {"rapidcheck.h"},
    "conformance/host": {"nlohmann", "fmt", "zmq.hpp", "zmq_addon.hpp", "zmq.h", "xxhash.h"},
    "conformance/check": {"nlohmann", "fmt"},
    "conformance/adapters": {"ATen", "torch"},
    "conformance/report": {"nlohmann", "fmt"},
    "conformance/plans": {"nlohmann", "fmt", "rapidcheck.h", "rapidcheck"},
    "conformance/watch": {"nlohmann", "fmt"},
    "conformance/contract": {"fmt"},
    "conformance/session": {"nlohmann", "fmt", "rapidcheck.h", "rapidcheck"},
    "conformance/cli": {"nlohmann", "fmt", "CLI"},
    "impl/layout": {"nlohmann", "fmt"},
    "impl/comm": {"fmt", "nlohmann"},
    "impl/device": {"fmt"},
    "impl/tensor_parallel": {"fmt"},
    "impl/stages": {"fmt"},
    "impl/library": {"fmt", "zerocts"},
    "impl/subject": {"fmt", "nlohmann"},
    STAND_INS: {"fmt"},
    "conformance/meta_tests": {"nlohmann", "fmt", "zmq.hpp", "zmq_addon.hpp", "CLI", "zerocts"},
    "bench": {"benchmark", "fmt", "nlohmann", "cblas.h", "CLI"},
}
TESTS_MAY_ALSO = {"gtest", "rapidcheck", "rapidcheck.h", "mpfr.h", "gmp.h", "nlohmann", "fmt"}
# Only files in a folder named for it, or named for it themselves, may include it.
NAMED = {
    "mpi.h": "mpi",
    "nccl.h": "nccl",
    "cublas_v2.h": "cublas",
    "cuda.h": "cuda",
    "cuda_runtime.h": "cuda",
    "cuda_runtime_api.h": "cuda",
}

# The library's parser, which has no limits and takes a key twice.
JSON_PARSER = re.compile(r"json::(sax_)?(parse|accept)\s*\(")
JSON_READER = "reference/experiment/json_text"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inc"}


def room_of(path):
    parts = path.parts
    if parts[0] == "bench":
        return "bench"
    return "/".join(parts[:2]) if len(parts) > 2 else None


def folder_of(path):
    """The folder of a room in which `path` stands, or None."""
    return path.parts[2] if room_of(path) in FOLDERS and len(path.parts) > 3 else None


def is_test(path):
    return (
        path.stem.endswith(("_test", "_check", "_fuzz"))
        or "test" in path.stem
        or "oracle" in path.stem
        or not {"testdata", FOR_TEST}.isdisjoint(path.parts)
        or room_of(path) == STAND_INS
    )


def allowed_rooms(room):
    line, _, name = room.partition("/")
    left = LINES[line][: LINES[line].index(name) + 1] if name in LINES.get(line, []) else [name] if name else []
    return {f"{line}/{r}" for r in left} | {room} | EXTRA.get(room, set())


def looks_into(path, target):
    """Why `path` may not look into the folder of `target`, a path of the same line, or None."""
    folder = folder_of(target)
    if folder is None or is_test(path) or room_of(path) == "bench":
        return None
    if folder == FOR_TEST:
        return f"{target} is for tests"
    room, here = room_of(target), folder_of(path) if room_of(path) == room_of(target) else None
    if here is not None and folder in [here, *FOLDERS[room].get(here, [])]:
        return None
    if room in LAYERED:
        return f"{room}/{here} may not include {folder}" if here else None
    return f"{target.parent} is a backend: expected an include of a header of {room_of(target)} itself"


def problem(path, quote, header):
    """Why `path` may not include `header`, or None."""
    room = room_of(path)
    if room is None or room not in EXTRA:
        return f"stands in no room of DESIGN section 1 ({', '.join(sorted(EXTRA))})"
    if room in LAYERED and folder_of(path) not in FOLDERS[room] and not is_test(path):
        return f"stands in no folder of {room} ({', '.join(FOLDERS[room])})"
    if room not in LAYERED and folder_of(path) not in (None, FOR_TEST, *FOLDERS.get(room, {})):
        return f"stands in no folder of {room} ({', '.join([*FOLDERS[room], FOR_TEST])})"
    first = header.split("/")[0]
    if path.as_posix().startswith(INSTALLED) and quote == '"':
        return f'"{header}" in a header that is installed: expected the standard library alone'
    if first in LINES or first == "bench":
        target = room_of(Path(header))
        tests_may = {STAND_INS, "reference/train"} if room.startswith("impl/") and is_test(path) else set()
        if target in allowed_rooms(room) | tests_may:
            return looks_into(path, Path(header))
        return f"{room} may not include {target}"
    if quote == '"' and header in ("zerocts_subject.h", "zerocts_refuse.h", "zerocts_planner.h"):
        return None
    if quote == '"' and path.parent.as_posix().startswith(OUTSIDE):
        return None
    if quote == '"':
        return f'"{header}" is not a path from the root'
    if header in NAMED:
        named = any(part == NAMED[header] or part.startswith(f"{NAMED[header]}_") for part in path.parts[1:-1])
        if named or NAMED[header] in path.stem:
            return None
        return f"<{header}> belongs in a folder or file named for {NAMED[header]}"
    if path.as_posix().startswith(INSTALLED) and first != "zerocts" and not STANDARD.match(header):
        return f"<{header}> in a header that is installed: expected the standard library alone"
    if STANDARD.match(header) or header in POSIX or first in POSIX:
        return None
    allowed = THIRD_PARTY.get(room, set()) | THIRD_PARTY.get(f"{room}/{folder_of(path)}", set())
    if first in allowed or header in allowed:
        return None
    if is_test(path) and (first in TESTS_MAY_ALSO or header in TESTS_MAY_ALSO):
        return None
    return f"<{header}> is not among the third-party headers of {room} ({', '.join(sorted(allowed)) or 'none'})"


def parses_itself(path, text):
    """Why a line of `path` may not parse JSON, or None."""
    name = path.as_posix()
    if is_test(path) or name.startswith(JSON_READER) or not JSON_PARSER.search(text):
        return None
    return f"parses JSON without limits; call ParseJson of {JSON_READER}.hpp"


def main():
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "reference").is_dir():
        sys.exit(f"usage: {sys.argv[0]} ROOT, the folder that holds reference/, impl/ and conformance/")
    root = Path(sys.argv[1])
    files = [
        p.relative_to(root)
        for line in ("reference", "conformance", "impl", "bench")
        for p in sorted((root / line).rglob("*"))
        if p.suffix in SOURCES
    ]
    names = sorted(path.name for path in root.iterdir() if not path.name.startswith((".", *IGNORED)))
    problems = [f"{name}: expected at the top only {', '.join(sorted(TOP))}" for name in names if name not in TOP]
    for path in files:
        for number, text in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(text)
            reason = match and problem(path, *match.groups()) or parses_itself(path, text)
            if reason:
                problems.append(f"{path}:{number}: {reason}")
    if not files:
        sys.exit("no source file found: nothing was checked")
    print("\n".join(problems) if problems else f"{len(files)} files: everything is allowed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
