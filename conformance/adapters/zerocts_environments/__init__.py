"""How environments of frameworks are made, and the user's own ones examined, for environment.py; only the standard
library is needed.
"""

import sys


class Problem(Exception):
    """Why there is no environment: one sentence."""

    def __init__(self, sentence, exit_code=2):
        super().__init__(sentence)
        self.exit_code = exit_code


def unavailable(sentence):
    return Problem(sentence, exit_code=3)


def say(text):
    print(f"zerocts: {text}", file=sys.stderr, flush=True)
