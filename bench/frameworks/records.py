"""What these programs measure, as records of ../record: --out FILE."""

import json
import subprocess
import tempfile
from pathlib import Path


class Records:
    """Figures of one run. `program` is one of ours; what makes records of them stands beside it."""

    def __init__(self, program, file):
        self._command = [Path(program).with_name("add_records"), file] if file else None
        self._lines = []

    def add(self, subject, what, case, unit, direction, samples):
        """`direction`: which change is good, smaller or bigger. The value is the median of `samples`."""
        figure = {"subject": subject, "what": what, "case": case, "unit": unit, "direction": direction}
        self._lines.append(json.dumps(figure | {"samples": list(samples)}))

    def write(self):
        if self._command:
            subprocess.run(self._command, input="\n".join(self._lines), text=True, check=True)


def records_of(*command):
    """What a program of ours writes into the folder of its option --out."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "--out", folder], check=True, capture_output=True, text=True)
        lines = Path(folder, "records.ndjson").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def add_option(arguments):
    arguments.add_argument("--out", default="", help="a file to which a record of each figure is added")
