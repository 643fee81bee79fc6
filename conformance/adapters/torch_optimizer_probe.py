"""What can be judged of a user's own sharded optimizer, tried before any rank starts.

usage: torch_optimizer_probe.py FILE:CLASS [key=value ..]

Standard output has what torch_optimizer.py needs, as JSON, or one sentence that says what is wrong (exit 2). Remarks
are on standard error.
"""

import json
import os
import signal
import sys

SECONDS = 120


def too_long(*_):
    raise TimeoutError(f"not done after {SECONDS} s")


def answer(target, options):
    from zerocts_torch.user_file import Problem, told  # noqa: PLC0415  torch, by the device that is asked for
    from zerocts_torch.user_optimizer import UserOptimizer  # noqa: PLC0415
    from zerocts_torch.user_probe import UserProbe  # noqa: PLC0415

    try:
        with told(target):
            probe = UserProbe(UserOptimizer(target, options))
            found = probe.found()
    except Problem as problem:
        return 2, str(problem)
    for note in probe.notes:
        print(f"{target}: {note}", file=sys.stderr)
    return 0, json.dumps(found)


def main():
    out = os.dup(1)
    os.dup2(2, 1)  # what the user prints is no answer
    target, *options = sys.argv[1:]
    options = dict(option.split("=", 1) for option in options)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    code, text = answer(target, options)
    os.write(out, text.encode())
    os._exit(code)  # threads of the user may wait


main()
