#!/usr/bin/env python3
"""PyTorch's ZeRO-1 with ranks that torchrun starts, as a user's own script has them.
usage: torchrun_test.py ZEROCTS [arguments of zerocts check]
exit 77: skipped; else the exit code of zerocts check"""

import os
import shlex
import sys

from available import HERE, python_or_skip


def main():
    zerocts, *arguments = sys.argv[1:]
    torchrun = (
        f"PYTHONPATH={shlex.quote(str(HERE))} exec {shlex.quote(python_or_skip('torch'))} -m torch.distributed.run"
    )
    script = shlex.quote(str(HERE / "torch_zero1.py"))
    os.execv(
        zerocts,
        [zerocts, "check", "--subject", f"exec:{torchrun} --nproc-per-node {{world_size}} {script}", *arguments],
    )


if __name__ == "__main__":
    main()
