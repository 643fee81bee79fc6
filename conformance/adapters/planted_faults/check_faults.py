"""Is each planted fault of killed_by.json killed by the clause that it names?

    python3 check_faults.py ZEROCTS [--smoke] [--subject deepspeed-1] [--fault state_lost]

Exit code 0: all killed; 1: one survived; 77: this machine has none of the frameworks.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from available import SKIPPED, ask_for, framework_of  # noqa: E402

SECONDS_PER_FAULT = 600
NOT_CONFORMANT = 1


def ends_of_clauses(events):
    records = (json.loads(line) for line in events.read_text().splitlines())
    return [record for record in records if record["record"] == "clause_end"]


def is_killed(zerocts, entry, out):
    """By plain `zerocts check` of the clause. Returns what was seen, as words."""
    check = subprocess.run(
        [
            zerocts,
            "check",
            entry["clause"],
            "--subject",
            entry["subject"],
            "--option",
            f"fault={entry['fault']}",
            "--ranks",
            str(entry.get("ranks", 2)),
            "--launcher",
            entry.get("launcher", "local"),
            "--cases",
            "20",
            "--no-shrink",
            "--fail-fast",
            "--deadline",
            "60",
            "--out",
            out,
            *entry.get("arguments", []),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS_PER_FAULT,
    )
    ends = ends_of_clauses(pathlib.Path(out) / "results.ndjson") if check.returncode == NOT_CONFORMANT else []
    if [(end["clause"], end["result"]) for end in ends] == [(entry["clause"], entry.get("result", "fail"))]:
        return True, f"KILLED {ends[0]['cases']:3} cases {ends[0]['seconds']:6.1f} s"
    last = (check.stderr or check.stdout).strip().splitlines()[-1:]
    return False, f"SURVIVED (exit code {check.returncode}: {' '.join(last)})"


def all_faults():
    for subject, faults in json.loads((HERE / "killed_by.json").read_text()).items():
        for fault, killed in faults.items():
            yield {"subject": subject, "fault": fault, **killed}


def chosen(arguments):
    entries = [
        entry
        for entry in all_faults()
        if (entry.get("smoke") or not arguments.smoke)
        and entry["subject"].startswith(arguments.subject)
        and arguments.fault in ("", entry["fault"])
    ]
    if not entries:
        sys.exit(f"expected faults of killed_by.json, got none for '{' '.join(sys.argv[1:])}'; nothing was checked")
    return entries


def add_choice(parser):
    parser.add_argument("--subject", default="", help="only of subjects whose name begins so")
    parser.add_argument("--fault", default="", help="only the one of this name")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zerocts")
    parser.add_argument("--smoke", action="store_true", help="only the few that are marked smoke")
    add_choice(parser)
    arguments = parser.parse_args()
    entries = chosen(arguments)
    missing = {subject: ask_for(framework_of(subject))[1] for subject in {entry["subject"] for entry in entries}}
    survivors = 0
    for entry in entries:
        reason = missing[entry["subject"]]
        killed, words = None, f"skipped: {reason}"
        if not reason:
            with tempfile.TemporaryDirectory() as out:
                killed, words = is_killed(arguments.zerocts, entry, out)
        survivors += killed is False
        print(f"{entry['subject']:12} {entry['fault']:26} {entry['clause']} {words}", flush=True)
    return 1 if survivors else SKIPPED if all(missing.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
