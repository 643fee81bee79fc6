"""What is said, and why there is no environment."""

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
