"""Is each planted fault of faults.json killed by the clause that it names?

    python3 check_faults.py ZEROCTS [--smoke] [--subject torch_zero1.py]

The Python that runs this runs the adapters, so it has the frameworks. Exit code 0: all killed; 1: one survived.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ADAPTERS = pathlib.Path(__file__).resolve().parent
SECONDS_PER_FAULT = 600
NOT_CONFORMANT = 1


def failing_clauses(events):
    records = (json.loads(line) for line in events.read_text().splitlines())
    return {record["clause"] for record in records if record["record"] == "clause_end" and record["result"] == "fail"}


def is_killed(zerocts, entry, out):
    """By plain `zerocts check` of the clause. Returns what was seen, as words."""
    command = f"PYTHONPATH='{ADAPTERS}' exec '{sys.executable}' '{ADAPTERS}'/{entry['subject']}"
    check = subprocess.run([zerocts, "check", entry["clause"], "--subject", f"exec:{command}", "--option", f"fault={entry['fault']}",
                            "--ranks", str(entry.get("ranks", 2)), "--launcher", "local", "--cases", "20", "--deadline", "60", "--out", out],
                           capture_output=True, text=True, timeout=SECONDS_PER_FAULT)
    if check.returncode == NOT_CONFORMANT and failing_clauses(pathlib.Path(out) / "results.ndjson") == {entry["clause"]}:
        return True, "KILLED"
    last = (check.stderr or check.stdout).strip().splitlines()[-1:]
    return False, f"SURVIVED (exit code {check.returncode}: {' '.join(last)})"


def chosen(arguments):
    entries = [entry for entry in json.loads((ADAPTERS / "faults.json").read_text())
               if (entry.get("smoke") or not arguments.smoke) and entry["subject"].startswith(arguments.subject)]
    if not entries:
        sys.exit(f"--subject: expected the beginning of a subject of faults.json, got {arguments.subject}; nothing was checked")
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zerocts")
    parser.add_argument("--smoke", action="store_true", help="only the few that are marked smoke")
    parser.add_argument("--subject", default="", help="only of adapters whose file begins so")
    arguments = parser.parse_args()
    survivors = 0
    for entry in chosen(arguments):
        with tempfile.TemporaryDirectory() as out:
            killed, words = is_killed(arguments.zerocts, entry, out)
        survivors += not killed
        print(f"{entry['subject']:16} {entry['fault']:28} {entry['clause']:12} {words}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
