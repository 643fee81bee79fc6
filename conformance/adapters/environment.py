#!/usr/bin/env python3
"""Virtual environments with the frameworks of frameworks.json, in the user's cache folder; only the standard library is
needed.

usage: environment.py python FRAMEWORK [--version X.Y] [--device D]   the Python with this release; the first call makes
its environment
       environment.py examine FRAMEWORK --python PATH [--version X.Y] [--device D]   may the user's own Python serve?
       environment.py releases FRAMEWORK                  all that pip's index has, oldest first, as JSON
       environment.py list                               the Pythons that are ready with the default releases, as JSON
       {"torch": PYTHON}
       each with --recipes FILE                          what can be had, from another file than frameworks.json

Standard output has the answer, or the one sentence that says why there is none; what is going on is said on standard
error. exit 0: the answer; 2: a mistake of the user; 3: this machine cannot have it (no venv, no package index, only a
build for CUDA), or its environment is damaged
"""

import argparse
import json
import re
import sys
from pathlib import Path

from zerocts_environments.made import Environment, python_in
from zerocts_environments.own import CPU, examine
from zerocts_environments import Problem

DEVICES = [CPU, "cuda"]


def require_made_for(device):
    if device != CPU:
        raise Problem(
            f"--device {device}: expected --python PATH of an environment with a build of torch for CUDA, got none; "
            "those that zerocts makes are for CPUs"
        )


def list_ready(data):
    environments = [Environment(framework, data) for framework in data["frameworks"]]
    return json.dumps(
        {
            environment.framework: str(environment.python)
            for environment in environments
            if environment.ready() and not environment.damage()
        }
    )


def answer(arguments, data):
    if arguments.what == "list":
        return list_ready(data)
    frameworks = data["frameworks"]
    if arguments.framework not in frameworks:
        raise Problem(f"expected a framework of {', '.join(frameworks)}, got {arguments.framework}")
    if arguments.version and not re.fullmatch(r"\d+(\.\w+)+", arguments.version):
        raise Problem(
            f"--version: expected a release such as {frameworks[arguments.framework]['version']}, got "
            f"'{arguments.version}'"
        )
    if arguments.device not in DEVICES:
        raise Problem(f"--device: expected {' or '.join(DEVICES)} for {arguments.framework}, got {arguments.device}")
    if arguments.what == "releases":
        return json.dumps(Environment(arguments.framework, data).releases())
    if arguments.what == "examine":
        return examine(arguments.framework, arguments.python, arguments.version, arguments.device)
    require_made_for(arguments.device)
    return python_in(Environment(arguments.framework, data, arguments.version))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=["python", "examine", "releases", "list"])
    parser.add_argument("framework", nargs="?")
    parser.add_argument("--version", default="")
    parser.add_argument("--python", default="")
    parser.add_argument("--device", default=CPU)
    parser.add_argument("--recipes", type=Path, default=Path(__file__).parent / "frameworks.json")
    arguments = parser.parse_args()
    try:
        data = json.loads(arguments.recipes.read_text(encoding="utf-8"))
        print(answer(arguments, data))
    except Problem as problem:
        print(problem)
        sys.exit(problem.exit_code)
    except OSError as error:
        print(f"expected a cache folder that can be written, got {error}; set XDG_CACHE_HOME to another one")
        sys.exit(3)


if __name__ == "__main__":
    main()
