#!/usr/bin/env python3
"""A run in pictures: memory by parts, the step by its calls, its timeline, and how both go with the number of ranks.

usage: zerocts bench pictures RECORDS.. --out FOLDER [--machine FINGERPRINT]

Writes memory.svg, step.svg, timeline.svg and scaling.svg of the newest figures, those of them that the records have
figures for, and prints how figures grow with the number of ranks and the size of the model.
exit 0: written; 2: a mistake of the user; 3: jsonschema is missing
"""

import argparse
import sys
from pathlib import Path

from picture import growth
from picture.all import pictures_of
from picture.measured import measured_in
from reading import BadRecords, read_files
from saying import written_into_out
from series import newest_of_one_machine, of_machine, series_of


def draw(arguments):
    all_series = of_machine(series_of(read_files(arguments.records)), arguments.machine)
    everything = measured_in([record for _, record in newest_of_one_machine(all_series)])
    pictures = pictures_of(everything)
    if not pictures:
        raise BadRecords("expected records of `zerocts bench --subject ..`, got none that a picture is made of")
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
        print(folder / f"{name}.svg")
    for sentence in growth.sentences(everything):
        print(sentence)
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("records", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--machine")
    arguments = parser.parse_args()
    return written_into_out(lambda: draw(arguments))


if __name__ == "__main__":
    sys.exit(main())
