#!/usr/bin/env python3
"""Stands in for Slurm's srun on one machine: starts tasks with the variables that Slurm sets, and passes signals on. As
--kill-on-bad-exit wants it, all end when one ends badly. Its exit code is the greatest of its tasks.

usage: srun [--nodes=1] [--ntasks=N] [--overlap] [--overcommit] [--cpu-bind=none] [--kill-on-bad-exit=1] COMMAND ..
"""

import argparse
import os
import signal
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(prog="srun", allow_abbrev=False)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--ntasks", type=int, default=1)
    parser.add_argument("--overlap", action="store_true")
    parser.add_argument("--overcommit", action="store_true")
    parser.add_argument("--cpu-bind", choices=["none"])
    parser.add_argument("--kill-on-bad-exit", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    words = parser.parse_args()
    tasks = []
    for task in range(words.ntasks):
        of_task = {
            "SLURM_PROCID": task,
            "SLURM_LOCALID": task,
            "SLURM_NTASKS": words.ntasks,
            "SLURM_NNODES": words.nodes,
        }
        environment = os.environ | {name: str(value) for name, value in of_task.items()}
        tasks.append(subprocess.Popen(words.command, env=environment))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: [task.send_signal(got) for task in tasks])
    while None in [task.poll() for task in tasks]:
        if words.kill_on_bad_exit and any(task.returncode for task in tasks):
            time.sleep(0.2)  # Slurm does not end the others at once
            for task in tasks:
                task.kill()
        time.sleep(0.02)
    codes = [128 - task.returncode if task.returncode < 0 else task.returncode for task in tasks]
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
