#!/usr/bin/env python3
"""Judges a framework as `zerocts check` does, and skips with the reason where this machine cannot have it.
usage: framework_test.py ZEROCTS SUBJECT [arguments of zerocts check]
exit 77: skipped; else the exit code of zerocts check"""

import os
import sys

from available import framework_of, python_or_skip


def main():
    zerocts, subject, *arguments = sys.argv[1:]
    python_or_skip(framework_of(subject))
    os.execv(zerocts, [zerocts, "check", "--subject", subject, *arguments])


if __name__ == "__main__":
    main()
