#!/usr/bin/env python3
"""What a program writes is what record.schema.json says, and that refuses what is no record.

usage: record_schema_test.py PROGRAM [ARGUMENT..]      the program gets --out FOLDER
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("not run: expected the Python package jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

SCHEMA = json.loads(Path(__file__).with_name("record.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COMMAND = []


class RecordSchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                subprocess.run([*COMMAND, "--out", folder], check=True, capture_output=True)
            lines = Path(folder, "records.ndjson").read_text(encoding="utf-8").splitlines()
        cls.records = [json.loads(line) for line in lines]

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_takes_what_the_program_writes(self):
        for record in self.records:
            VALIDATOR.validate(record)

    def test_a_second_run_adds_the_same_names(self):
        names = [record["name"] for record in self.records]
        self.assertGreater(len(names), 1)
        self.assertEqual(names[: len(names) // 2], names[len(names) // 2 :])

    def test_refuses_what_is_no_record(self):
        record = self.records[0]
        for change in (
            {"value": None},
            {"error": "it failed"},
            {"direction": "down"},
            {"case": {"stages": [1]}},
            {"machine": record["machine"] | {"host_name": "a"}},
            {"steal_fraction": 2},
        ):
            self.assertFalse(VALIDATOR.is_valid(record | change), change)
        for name in record:
            self.assertFalse(VALIDATOR.is_valid({k: v for k, v in record.items() if k != name}), name)


if __name__ == "__main__":
    COMMAND = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
