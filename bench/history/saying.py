"""What a program of records tells its user."""

import sys


class BadRecords(Exception):
    """Why the records cannot be used: one sentence for the user."""


def say(sentence):
    """On standard error, in one line, without what a terminal obeys."""
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02X}" for c in " ".join(str(sentence).split()))
    print(f"zerocts: {line}", file=sys.stderr, flush=True)


def written_into_out(write):
    """The exit code of a program that makes files of records in the folder --out; write() returns that of success."""
    try:
        return write()
    except BadRecords as problem:
        say(problem)
    except OSError as error:
        say(f"--out: expected a folder that can be written, got {error}")
    return 2
