"""Reads files of benchmark records: NDJSON, one record a line, as all programs of bench/ write them.

The reader is strict. A file that is corrupt, foreign, empty, or mixed with something else is refused in one sentence
that names the file and the line; nothing is skipped.
"""

import json
import os
import stat

from record_schema import objection
from saying import BadRecords

SCHEMA, VERSION = "zerocts-bench-record", 1
MAX_FILE_BYTES, MAX_LINE_BYTES, MAX_RECORDS = 512 << 20, 8 << 20, 1_000_000


def read_files(paths):
    """The records of all files, in their order. Raises BadRecords."""
    records = []
    for path in paths:
        records += read_file(path)
        if len(records) > MAX_RECORDS:
            raise BadRecords(f"expected at most {MAX_RECORDS} records in all files, got more; give fewer files")
    return records


def read_file(path):
    """The records of one file, at least one. Raises BadRecords."""
    lines = whole_text(path).split("\n")
    if lines[-1] != "":
        raise BadRecords(
            f"{path}:{len(lines)}: expected a line that ends, got the end of the file in the middle of it; "
            "the program that wrote it was interrupted: remove that line"
        )
    if len(lines) == 1:
        raise BadRecords(f"{path}: expected benchmark records, one a line, got an empty file")
    return [record_of(line, f"{path}:{number}") for number, line in enumerate(lines[:-1], 1)]


def whole_text(path):
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise BadRecords(f"{path}: expected a regular file of benchmark records, got another kind; name a file")
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise BadRecords(f"{path}: expected a file of benchmark records, got {error.strerror or error}") from None
    if len(data) > MAX_FILE_BYTES:
        raise BadRecords(f"{path}: expected at most {MAX_FILE_BYTES} bytes, got more; split the file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadRecords(
            f"{path}: expected UTF-8 text with a benchmark record a line, got other bytes at byte {error.start}"
        ) from None


def record_of(line, where):
    if len(line) > MAX_LINE_BYTES:
        raise BadRecords(f"{where}: expected a line of at most {MAX_LINE_BYTES} bytes, got {len(line)}")
    try:
        record = json.loads(line, object_pairs_hook=object_without_repetition, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadRecords(
            f"{where}: expected a benchmark record as JSON, got a line that is none ({brief(error)})"
        ) from None
    require_our_schema(record, where)
    problem = objection(record)
    if problem:
        raise BadRecords(f"{where}: expected {problem}; was it written by another program?")
    return record


def require_our_schema(record, where):
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        got = f"'{str(schema)[:60]}'" if schema is not None else "something else"
        raise BadRecords(
            f'{where}: expected a record with "schema": "{SCHEMA}", got {got}; is it a file of another tool?'
        )
    if record.get("version") != VERSION:
        raise BadRecords(
            f"{where}: expected version {VERSION} of {SCHEMA}, got {str(record.get('version'))[:60]}; "
            "use the zerocts that wrote it, or a newer one"
        )


def object_without_repetition(pairs):
    as_object = dict(pairs)
    if len(as_object) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return as_object


def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


def brief(error):
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:120]
