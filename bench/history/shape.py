"""What a record looks like: one checker per kind of value, and the fields of a record by these.

A checker takes a value that json gave and says in a few words what it expected instead ("a finite number"), or None
when the value is right. The shape is that of record.schema.json; a test holds both against each other.
"""

import datetime
import math
import re

SCHEMA, VERSION = "zerocts-bench-record", 1
DIRECTIONS = ("smaller", "bigger", "equal")
MAX_TEXT, MAX_SENTENCE, MAX_SAMPLES, MAX_CASE_FIELDS = 4096, 65536, 100_000, 200

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
DATE_EXAMPLE = "a date such as 2026-11-25T02:00:00Z"


def text(value):
    if isinstance(value, str) and 0 < len(value) <= MAX_TEXT and value.isprintable():
        return None
    return f"printable text of 1 to {MAX_TEXT} characters"


def sentence(value):
    return (
        None if isinstance(value, str) and 0 < len(value) <= MAX_SENTENCE else f"text of 1 to {MAX_SENTENCE} characters"
    )


def text_or_empty(value):
    return None if value == "" else text(value)


def number(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool) and is_finite(value):
        return None
    return "a finite number"


def is_finite(value):
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every double
        return False


def count(value):
    return (
        None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0
        else "a whole number, not negative"
    )


def index(value):
    return None if value == -1 or count(value) is None else "a whole number from -1"


def flag(value):
    return None if isinstance(value, bool) else "true or false"


def date(value):
    return None if isinstance(value, str) and DATE.fullmatch(value) and is_day(value) else DATE_EXAMPLE


def is_day(value):
    try:
        datetime.datetime.fromisoformat(value)
        return True
    except ValueError:  # the 30th of February
        return False


def fraction(value):
    return None if number(value) is None and 0 <= value <= 1 else "a number from 0 to 1"


def one_of(*values):
    return lambda value: (
        None if value in values and type(value) in map(type, values) else f"{' or '.join(map(str, values))}"
    )


def or_null(check):
    def checked(value):
        expected = None if value is None else check(value)
        return expected and f"{expected}, or null"

    return checked


def list_of(check, limit):
    def checked(value):
        if not isinstance(value, list) or len(value) > limit:
            return f"a list of at most {limit}"
        return next((f"in it only {expected}" for expected in map(check, value) if expected), None)

    return checked


def span(value):
    expected = SPAN(value)
    return expected or (None if value["begin"] <= value["end"] else "a span that ends at or after its begin")


def map_to_scalars(value):
    if not isinstance(value, dict) or len(value) > MAX_CASE_FIELDS:
        return f"an object of at most {MAX_CASE_FIELDS} fields"
    scalars = all(isinstance(item, (str, int, float, bool)) for item in value.values())
    return None if scalars else "an object whose values are text, numbers, true or false"


def fields(checks, optional=None):
    """An object with exactly these fields, and those of `optional` that it has."""
    optional = optional or {}

    def checked(value):
        if not isinstance(value, dict):
            return "an object"
        for name, check in (checks | optional).items():
            if name in checks and name not in value:
                return f"a field '{name}'"
            expected = name in value and check(value[name])
            if expected:
                return f"in '{name}' {expected}"
        stranger = next((name for name in value if name not in checks | optional), None)
        return stranger and f"no field '{stranger[:40]}'"

    return checked


SPAN = fields({"rank": count, "name": text, "index": index, "begin": number, "end": number})
RECORD_FIELDS = {
    "schema": one_of(SCHEMA),
    "version": one_of(VERSION),
    "name": text,
    "value": or_null(number),
    "unit": text,
    "direction": one_of(*DIRECTIONS),
    "bound": or_null(fields({"name": text, "value": number})),
    "samples": list_of(number, MAX_SAMPLES),
    "interval": or_null(fields({"low": number, "high": number, "confidence": fraction})),
    "subject": text,
    "case": map_to_scalars,
    "commit": or_null(fields({"id": text, "dirty": flag, "date": date})),
    "compiler": fields({"name": text, "version": text_or_empty, "flags": text_or_empty}),
    "machine": fields(
        {
            "fingerprint": text,
            "cpu": text_or_empty,
            "cores": count,
            "memory_bytes": count,
            "governor": text_or_empty,
            "kernel": text_or_empty,
        }
    ),
    "steal_fraction": or_null(fraction),
    "oversubscribed": flag,
    "date": date,
    "error": or_null(sentence),
}
OPTIONAL_FIELDS = {"timeline": list_of(span, MAX_SAMPLES)}
RECORD = fields(RECORD_FIELDS, OPTIONAL_FIELDS)


def objection(record):
    """What a record is not, in a few words, or None."""
    expected = RECORD(record)
    if expected:
        return expected
    if record["error"] is None and record["value"] is None:
        return "a value where there is no error"
    if record["error"] is not None and record["value"] is not None:
        return "no value beside an error, for a benchmark that failed has no figure"
    if record["interval"] and record["interval"]["low"] > record["interval"]["high"]:
        return "an interval whose low is at most its high"
    return None
