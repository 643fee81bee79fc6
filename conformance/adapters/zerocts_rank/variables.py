"""What zerocts says to a rank in variables ZEROCTS_*: taken out of the environment when the client is imported, so that
how a subject behaves cannot depend on being tested.
"""

import os

PREFIX = "ZEROCTS_"
taken = {}


def take():
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        taken[name] = os.environ.pop(name)


take()
