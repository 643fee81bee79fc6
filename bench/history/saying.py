"""What a program of records tells its user."""

import sys


def say(sentence):
    """On standard error, in one line."""
    print(f"zerocts: {' '.join(str(sentence).split())}", file=sys.stderr, flush=True)
