"""Files of a checkpoint. Whatever else carries the name (a folder, a pipe, a device) is refused before it is opened."""

import itertools
import json
import os

from reading import Refused, is_printable, shown

MOST_NAMES, MOST_JSON_BYTES = 2**17, 16 << 20


def bytes_of(path):
    if not os.path.isfile(path):
        raise Refused("expected a regular file that can be read; check the path")
    return os.path.getsize(path)


def content_of(path, most):
    count = bytes_of(path)
    if count > most:
        raise Refused(f"it has {count} bytes: expected at most {most}")
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        raise Refused("expected a file that can be read; check its permissions") from None


def names_in(folder):
    """Sorted."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in itertools.islice(entries, MOST_NAMES + 1)]
    except OSError:
        raise Refused("expected a folder that can be listed; check its permissions") from None
    if len(names) > MOST_NAMES:
        raise Refused(f"more than {MOST_NAMES} files in one folder: refused")
    for name in names:
        if not is_printable(name):
            raise Refused(f'expected names of files in printable UTF-8, got "{shown(name)}"')
    return sorted(names)


def plain_name(name, of):
    """`name`, which names a file of this folder and of no other; `of` says who names it."""
    if name in ("", ".", "..") or "/" in name or not is_printable(name):
        raise Refused(f'{of} names "{shown(name)}": expected the name of a file beside it')
    return name


def _without_twice(pairs):
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Refused(f'expected every key of an object once, got "{shown(twice)}" twice')
    return values


def _no_number(word):
    raise Refused(f"expected numbers as JSON has them, got {word}")


def json_of(text):
    try:
        return json.loads(text, object_pairs_hook=_without_twice, parse_constant=_no_number)
    except RecursionError:
        raise Refused("expected JSON of fewer arrays and objects inside of each other") from None
    except ValueError as wrong:
        raise Refused(f"expected JSON in UTF-8; {shown(str(wrong), 100)}") from None


def json_in(path):
    return json_of(content_of(path, MOST_JSON_BYTES))
