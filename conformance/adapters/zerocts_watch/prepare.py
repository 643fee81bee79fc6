#!/usr/bin/env python3
"""Builds the operators of compiled/operators.cpp for the torch of this Python, once.

Standard output has the path of the library, or the one sentence that says why there is none. exit 0, or 3: this machine
cannot build it
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from zerocts_environments import Problem, unavailable  # noqa: E402

COMPILERS = ("c++", "g++", "clang++")


def torch_of_this_python():
    try:
        import torch
    except ImportError as error:
        raise unavailable(
            f"expected a Python with torch, got {sys.executable}: {error}; give another by --python"
        ) from error
    return torch


def compiler():
    found = next((path for name in (os.environ.get("CXX"), *COMPILERS) if name and (path := shutil.which(name))), None)
    if found is None:
        raise unavailable("expected a C++ compiler (c++, g++, clang++ or CXX), got none; install one: apt install g++")
    return found


def build(torch, source, library):
    root = Path(torch.__file__).parent
    new = library.with_suffix(f".{os.getpid()}")
    command = [compiler(), "-std=c++20", "-O3", "-fPIC", "-shared", "-w"]
    command += [f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"]
    command += [f"-I{root}/include", f"-I{root}/include/torch/csrc/api/include", str(source), "-o", str(new)]
    command += [f"-L{root}/lib", "-ltorch_cpu", "-lc10"]
    library.parent.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        first = next((line for line in ended.stderr.splitlines() if "error" in line), "no message")
        raise unavailable(
            f"expected {command[0]} to build the library for torch {torch.__version__}, it failed: {first}"
        )
    os.replace(new, library)


def main():
    try:
        torch = torch_of_this_python()
        from zerocts_watch import compiled

        if not compiled.library().exists():
            print(f"building for torch {torch.__version__}", file=sys.stderr, flush=True)
            build(torch, compiled.SOURCE, compiled.library())
        print(compiled.library())
    except Problem as problem:
        print(problem)
        sys.exit(problem.exit_code)
    except OSError as error:
        print(f"expected a cache folder that can be written, got {error}; set XDG_CACHE_HOME to another one")
        sys.exit(3)


if __name__ == "__main__":
    main()
