#!/usr/bin/env python3
"""What a machine with a GPU is: asked once per run of gpu_check and kept with its results.

usage: machine.py     prints the GPUs; exit code 77 and a sentence when there is none
"""

import ctypes
import datetime
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

NO_GPU = 77


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def answer_of(*command):
    """(whether it ended well, what it said) of a question that is answered within 30 seconds."""
    try:
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, check=False
        )
        return ended.returncode == 0, ended.stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return False, str(error)


def gpus():
    """[{name, driver, memory_mib, uuid}], and why there is none."""
    fields = ["name", "driver_version", "memory.total", "uuid"]
    well, listing = answer_of("nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits")
    if not well:
        return [], listing.splitlines()[-1] if listing else "it does not answer"
    found = [line.rsplit(", ", len(fields) - 1) for line in listing.splitlines()]
    return [
        {"name": name, "driver": driver, "memory_mib": int(memory), "uuid": uuid}
        for name, driver, memory, uuid in found
    ], "it lists none"


def require_gpus():
    found, why_none = gpus()
    if not found:
        print(f"no GPU on this machine (nvidia-smi: {why_none}): nothing was built or run", file=sys.stderr)
        sys.exit(NO_GPU)
    return found


def tool(name):
    """The path of a program of the CUDA toolkit, "" when there is none."""
    folders = [os.environ.get("PATH", "")] + [
        f"{os.environ[home]}/bin" for home in ("CUDA_HOME", "CUDA_PATH") if home in os.environ
    ]
    return shutil.which(name, path=os.pathsep.join([*folders, "/usr/local/cuda/bin"])) or ""


def library(variable, pattern):
    """The library that the tests are to load: as named, else that of this Python's packages (PyTorch brings it); "":
    theirs to find.
    """
    if variable in os.environ:
        return os.environ[variable]
    packages = importlib.util.find_spec("nvidia")
    found = [
        path
        for folder in (packages.submodule_search_locations if packages else [])
        for path in sorted(Path(folder).glob(pattern))
    ]
    return str(found[-1]) if found else ""


def libraries():
    """{variable: path} of those that are found."""
    found = {
        "ZEROCTS_NCCL_LIBRARY": library("ZEROCTS_NCCL_LIBRARY", "nccl/lib/libnccl.so.2"),
        "ZEROCTS_CUBLAS_LIBRARY": library("ZEROCTS_CUBLAS_LIBRARY", "*/lib/libcublas.so.??"),
    }
    return {variable: path for variable, path in found.items() if path}


def nccl_version(path):
    """ "2.28.9"; "" for a file that cannot tell."""
    code = ctypes.c_int()
    try:
        if not path or ctypes.CDLL(path).ncclGetVersion(ctypes.byref(code)) != 0:
            return ""
    except (OSError, AttributeError):
        return ""
    return f"{code.value // 10000}.{code.value // 100 % 100}.{code.value % 100}"


def cublas_version(path):
    """ "13.1.0"; "" for a file that cannot tell."""
    numbers = [ctypes.c_int() for _ in range(3)]
    try:
        if not path or any(ctypes.CDLL(path).cublasGetProperty(i, ctypes.byref(numbers[i])) != 0 for i in range(3)):
            return ""
    except (OSError, AttributeError):
        return ""
    return ".".join(str(number.value) for number in numbers)


def description():
    well, compiler = answer_of(tool("nvcc") or "nvcc", "--version")
    release = re.search(r"V(\d[\d.]*)", compiler) if well else None
    return {
        "date": now(),
        "machine": f"{platform.machine()}, {platform.system()} {platform.release()}, {os.cpu_count()} cores",
        "gpus": gpus()[0],
        "nvcc": release.group(1) if release else "",
        "nccl": nccl_version(libraries().get("ZEROCTS_NCCL_LIBRARY")),
        "cublas": cublas_version(libraries().get("ZEROCTS_CUBLAS_LIBRARY")),
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    for gpu in require_gpus():
        print(f"{gpu['name']}, {gpu['memory_mib']} MiB, driver {gpu['driver']}")
