"""A rank whose cases are as they should be, and whose end is not: ends_badly.py none | abort | raise | hang. Rank 1
misbehaves in shutdown.
"""

import os
import sys
import time
from pathlib import Path

RANK = os.environ.get("ZEROCTS_RANK", os.environ.get("RANK"))  # before the client takes it
ADAPTERS = Path(__file__).resolve().parents[1] / "adapters"
sys.path[:0] = [str(ADAPTERS), str(ADAPTERS / "examples")]
from zerocts_rank import Subject  # noqa: E402


def shutdown(_):
    if RANK != "1":
        return
    if sys.argv[1] == "abort":
        os.abort()
    if sys.argv[1] == "raise":
        raise RuntimeError("cannot shut down")
    while sys.argv[1] == "hang":
        time.sleep(1)


Subject.shutdown = shutdown
import home_made_zero1  # noqa: E402, F401
