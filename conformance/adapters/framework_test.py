#!/usr/bin/env python3
"""Judges a framework as `zerocts check` does, and skips with the reason where this machine cannot have it.
usage: framework_test.py ZEROCTS SUBJECT [arguments of zerocts check]
exit 77: skipped; else the exit code of zerocts check"""
import os
import sys

from available import SKIPPED, ask_for, framework_of


def python_or_skip(framework):
    """The Python that has it; ends this program where there is none."""
    python, reason = ask_for(framework)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    return python


def main():
    zerocts, subject, *arguments = sys.argv[1:]
    python_or_skip(framework_of(subject))
    os.execv(zerocts, [zerocts, "check", "--subject", subject, *arguments])


if __name__ == "__main__":
    main()
