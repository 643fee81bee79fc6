#!/usr/bin/env python3
"""known_faults.json names exactly the mutants that exist, each with its title, its clauses and what it looks like.

usage: known_faults_test.py KNOWN_FAULTS MUTANTS
"""

import json
import sys
from pathlib import Path


def problems(known, mutants):
    recorded = {fault["id"]: fault for fault in known["faults"]}
    existing = {mutant["id"]: mutant for mutant in mutants if not mutant["benign"]}
    for missing in sorted(existing.keys() - recorded.keys()):
        yield f"{missing}: expected it among the known faults; record them again (zerocts mutants --record)"
    for gone in sorted(recorded.keys() - existing.keys()):
        yield f"{gone}: there is no such mutant any more; record them again"
    for name in sorted(existing.keys() & recorded.keys()):
        for field in ("title", "clauses"):
            if recorded[name][field] != existing[name][field]:
                yield f"{name}: its {field} changed; record it again"
        if not recorded[name]["symptoms"]:
            yield f"{name}: nothing failed when it was recorded; record it with more cases"


def main():
    known, mutants = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    found = list(problems(known, mutants))
    print("\n".join(found) if found else f"{len(known['faults'])} known faults, all mutants")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
