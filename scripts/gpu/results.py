"""The file of results, a line of JSON each, written the moment it is known.

Records, by "record":
  machine   date, machine, gpus [{name, driver, memory_mib, uuid}], nvcc, nccl, cublas, python, commit, build, command
  result    section, name, result: passed | failed | not run | measured, seconds, text and figure (may be absent)
  section   section, result: passed | failed | not run | left, seconds, reason, date, build, gpus
"""

import json
import os
from pathlib import Path

ENDED = ("passed", "failed")


class Results:
    """Adds to `path`; what stands there already is read once."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        whole = self.path.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]  # a run that was killed while it wrote left half a line
        os.truncate(self.path, len(whole))
        self.records = [json.loads(line) for line in whole.splitlines()]
        self._file = open(self.path, "a", encoding="utf-8")

    def add(self, record, **fields):
        self.records.append({"record": record, **fields})
        self._file.write(json.dumps(self.records[-1]) + "\n")
        self._file.flush()

    def ended(self, section, build, gpus):
        """The record of a section that came to its end with these programs on these GPUs; None."""
        return next(
            (
                record
                for record in reversed(self.records)
                if record["record"] == "section"
                and record["section"] == section
                and record["result"] in ENDED
                and record["build"] == build
                and record["gpus"] == gpus
            ),
            None,
        )
