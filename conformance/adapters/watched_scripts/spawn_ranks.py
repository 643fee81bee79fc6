#!/usr/bin/env python3
"""Runs a script on W ranks that torch.multiprocessing spawns.

usage: spawn_ranks.py W SCRIPT [arguments]
"""

import os
import runpy
import sys

import torch.multiprocessing
from free_port import free_port


def run(rank, script, arguments):
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank))
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port(), WORLD_SIZE=sys.argv[1])
    torch.multiprocessing.spawn(run, (sys.argv[2], sys.argv[3:]), int(sys.argv[1]))
