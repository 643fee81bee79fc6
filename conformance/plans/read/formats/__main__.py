"""Reads a checkpoint of somebody's framework for `zerocts plan read`, in a process that may take and do little.

usage: python3 -I -S -B FOLDER_OF_THIS_FILE CHECKPOINT     prints one line of JSON, which has one of
"reading": {"format", "plan", "faults", "untold"}; "refused": a sentence; "missing": a package that Python lacks;
"broken": a fault of the reader itself
"""

import importlib
import json
import sys

import formats
import limits
from reading import Refused


def _place_of(trace):
    while trace.tb_next:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno}"


def answer_of(path):
    try:
        module, function, place = formats.recognized(path)
        read = getattr(importlib.import_module(module), function)
        limits.only_read()
        return {"reading": vars(read(place))}
    except Refused as refused:
        return {"refused": str(refused)}
    except ModuleNotFoundError as missing:
        return {"missing": missing.name}
    except OSError as wrong:
        return {"refused": f"a file of it cannot be read: {wrong.strerror}"}
    except MemoryError:
        raise
    except Exception as fault:
        return {"broken": f"{type(fault).__name__} in {_place_of(fault.__traceback__)}"}


def line_of(path):
    try:
        return json.dumps(answer_of(path))
    except MemoryError:
        return json.dumps({"refused": f"it takes more than {limits.DATA_BYTES >> 20} MiB to read: refused"})


if __name__ == "__main__":
    limits.confine()
    print(line_of(sys.argv[1]))
