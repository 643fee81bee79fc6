"""What a record is, as record.schema.json says, and the two things that no schema can say."""

import datetime
import functools
import json
import sys
from pathlib import Path

from saying import say

FILE = Path(__file__).resolve().parent.parent / "record" / "record.schema.json"  # in the sources and in the package
MISSING_JSONSCHEMA = 3


def objection(record):
    """What was expected where in a record, and what it has, in a few words; None of a record that is right."""
    error = first_error(record)
    if error:
        return f"{error.schema.get('title', 'a record as its schema says')} at {error.json_path}, got {found(error)}"
    if record["interval"] and record["interval"]["low"] > record["interval"]["high"]:
        return "at least low at $.interval.high, got less"
    backwards = (number for number, span in enumerate(record.get("timeline", [])) if span["begin"] > span["end"])
    return next((f"at least begin at $.timeline[{number}].end, got less" for number in backwards), None)


def first_error(record):
    return next(validator().iter_errors(record), None)


def found(error):
    """The value itself, or what an object lacks or has too much."""
    if isinstance(error.instance, (dict, list)):
        return error.message[:120]
    return json.dumps(error.instance)[:60]


@functools.cache
def validator():
    """Ends the program with a sentence where its package is missing."""
    try:
        from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415
    except ImportError:
        say(
            f"records are read with the Python package jsonschema 4, which {sys.executable} lacks; install it: "
            f"apt-get install python3-jsonschema, or {sys.executable} -m pip install jsonschema"
        )
        sys.exit(MISSING_JSONSCHEMA)
    days = FormatChecker(formats=())
    days.checks("date-time", raises=ValueError)(is_day)
    return Draft202012Validator(schema_without_references(), format_checker=days)


def schema_without_references():
    """jsonschema would look up each for each value, in half of the time that reading takes."""
    text = FILE.read_text(encoding="utf-8")
    named = json.loads(text)["$defs"]
    return json.loads(text, object_hook=lambda part: named[Path(part["$ref"]).name] if "$ref" in part else part)


def is_day(text):
    """False or ValueError for the 30th of February."""
    return not isinstance(text, str) or bool(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))
