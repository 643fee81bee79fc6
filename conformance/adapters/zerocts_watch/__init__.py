"""The witness of `zerocts watch` in a rank: sees collectives, gradients, steps and clipping, and sends what it saw.

It starts no collective, writes to no tensor of the user, and judges nothing. An error of its own switches it off and
is said on stderr; training goes on. The records: conformance/watch/README.md.
"""

import os
import sys

witness = None  # of this process


def install():
    """Once per process, after torch was imported."""
    global witness
    try:
        from zerocts_watch.wire import Wire
        from zerocts_watch.witness import Witness

        wire = Wire(os.environ["_ZEROCTS_WATCH_SOCKET"])
        witness = Witness(wire, int(os.environ.get("_ZEROCTS_WATCH_EVERY", "1")))
        witness.install()
    except Exception as error:
        print(f"zerocts: this process is not watched: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
