#!/usr/bin/env python3
"""The history of benchmarks: where they changed, and a page that shows it.

usage: zerocts bench history RECORDS.. --page FILE.html [--machine FINGERPRINT] [--without-otava]

Segments tell where a series changed (trend/segmentation.py); Apache Otava, in an environment that is made on the first
call, confirms it. Figures that must stay equal are compared by ==. exit 0: the page is written, whatever it says;
2: a mistake of the user; 3: Otava or jsonschema is missing
"""

import argparse
import subprocess
import sys

from page.document import html_of
from page.figures import change_in_words
from page.history_of import history_of, values_of
from reading import BadRecords, read_files
from saying import say
from series import of_machine, series_of
from tools import Unavailable
from trend.votes import ask_otava

BY_TWO = "Changes by segments; a dashed line is one that Apache Otava does not confirm. Exact figures by ==."
BY_ONE = "Changes by segments; Apache Otava was not asked. Exact figures by ==."


def histories_of(all_series, with_otava):
    noisy = [series for series in all_series if series.direction != "equal"]
    votes = {}
    if with_otava and noisy:
        votes = dict(zip(map(id, noisy), ask_otava([values_of(series) for series in noisy])))
    return [history_of(series, votes.get(id(series))) for series in all_series]


def write_page(arguments):
    all_series = of_machine(series_of(read_files(arguments.records)), arguments.machine)
    histories = histories_of(all_series, not arguments.without_otava)
    with open(arguments.page, "w", encoding="utf-8") as file:
        file.write(html_of(histories, BY_ONE if arguments.without_otava else BY_TWO))
    for history in histories:
        for change in history.changes:
            commit = history.commit_of(change)
            since = f" since {commit['id'][:12]}" if commit else ""
            votes = " and ".join(change.votes)
            print(f"{history.verdict_on(change)}: {history.series.name} {change_in_words(change)}{since} ({votes})")
    print(f"page: {arguments.page}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--page", required=True)
    parser.add_argument("--machine")
    parser.add_argument("--without-otava", action="store_true")
    arguments = parser.parse_args()
    try:
        write_page(arguments)
        return 0
    except BadRecords as problem:
        say(problem)
    except OSError as error:
        say(f"--page: expected a file that can be written, got {error}")
    except (Unavailable, subprocess.SubprocessError) as problem:
        say(f"Apache Otava cannot be asked: {problem}; --without-otava makes the page without its vote")
        return 3
    return 2


if __name__ == "__main__":
    sys.exit(main())
