"""How often does the diagnosis of a whole run name what a planted fault is about?

    python3 diagnose_faults.py ZEROCTS --out FOLDER --own tune|aside|all
    python3 diagnose_faults.py ZEROCTS --out FOLDER [--subject deepspeed-1] [--fault state_lost] [--sample 16]

With --own, faults of own_faults/faults.py; else of killed_by.json. An answer of the diagnosis is a cause or a factor, a
known fault, or a clause. It is right where its words name the fault, where it is the same fault in the native engine or
a specimen, or where the clause that must find the fault is named or must find it too. It misleads where it is a wrong
cause or known fault. The plain rule names the cause or factor, then the clauses that fewest known faults break. Runs
that stand in FOLDER are not repeated. Exit code 0: measured; 77: this machine has none of the frameworks.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

from check_faults import SKIPPED, add_choice, ask_for, chosen, framework_of

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "own_faults"))
import faults  # noqa: E402

SECONDS_PER_RUN = 1800
LEAST_RANKS = 3
JUDGED = (1, 4)  # not conformant; a rank died, hung or refused: a diagnosis, too
# By what they do, whatever a run of them looks like.
SAME_FAULT = {
    "bias_on_every_rank": "M250",
    "clip_amplifies": "M55",
    "clip_on_first_tensor_rank": "M262",
    "clip_per_rank": "M50 M135",
    "clip_per_shard": "M50 M135",
    "embedding_gradient_not_added": "M256",
    "first_group_for_all": "M108",
    "fp16_on_the_wire": "M149",
    "fused_optimizer": "M200",
    "last_rank_does_not_update": "M80 M272",
    "masters_in_bf16": "M78",
    "masters_not_loaded": "M107",
    "never_reduced": "M24 M37 M271",
    "new_ranks_load_no_state": "M192",
    "no_sync_does_nothing": "M163",
    "norm_of_one_rank": "M259",
    "one_unit_never_reduced": "M24 M37 M271",
    "only_last_micro_batch": "M40 M134",
    "order_by_chance": "M140 M242",
    "partial_sums_returned": "M252",
    "partition_never_reduced": "M24 M37 M271",
    "reduces_four_times": "M160 M162",
    "reduces_four_times_in_secret": "M163",
    "remainder_not_loaded": "M193",
    "removed_hook": "M24 M37 M271",
    "replicated_counted_by_all": "M260",
    "same_part_on_all_ranks": "M255",
    "schedule_lost": "M74 M137",
    "shards_nothing": "M10 M120",
    "skipped_bucket": "M24 M25 M26 M37 M271",
    "state_lost": "M273",
    "stale_after_load": "M109",
    "stale_gather": "M80 M81 M82 M83",
    "stale_regather": "M180 M280",
    "stale_unshard": "M180 M280",
    "state_not_loaded": "M114",
    "sum_for_mean": "M20",
    "sum_over_micro_batches": "M22",
}
# Words of a cause or factor that name the fault.
WORDS = {
    "clip_per_rank": "own shard|its own norm",
    "clip_per_shard": "own shard|its own norm",
    "first_group_for_all": "of group 0",
    "fused_optimizer": "another formula",
    "last_rank_does_not_update": "did not move|values before the step",
    "masters_not_loaded": "of the checkpoint",
    "new_ranks_load_no_state": "state of the checkpoint",
    "never_reduced": "own gradient, unreduced|rank [0-9]+ alone",
    "one_unit_never_reduced": "own gradient|rank [0-9]+ alone",
    "only_last_micro_batch": "only micro-batch|of each rank alone",
    "partition_never_reduced": "own gradient|rank [0-9]+ alone",
    "removed_hook": "own gradient|rank [0-9]+ alone",
    "schedule_lost": "never took effect",
    "skipped_bucket": "own gradient|rank [0-9]+ alone",
    "stale_gather": "did not move|values before the step",
    "state_lost": "no momentum",
    "state_not_loaded": "of the checkpoint|never filled",
    "sum_for_mean": "sum over ranks|W: not divided|a sum instead of the mean",
    "sum_over_micro_batches": "sum over micro-batches|K: not divided",
    "sum_over_replicas": "R: not divided",
}
KNOWN_FAULTS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "contract" / "known_faults.json").read_text())
CLAUSES_OF = {fault["id"]: fault["clauses"] for fault in KNOWN_FAULTS["faults"]}


def broken_by_known_faults():
    """How many known faults break each clause."""
    counts = {}
    for fault in KNOWN_FAULTS["faults"]:
        symptoms = [KNOWN_FAULTS["symptoms"][i] for i in fault["symptoms"]]
        for clause in {clause for clause, kind, _ in symptoms if kind == "fails"}:
            counts[clause] = counts.get(clause, 0) + 1
    return counts


def diagnosis_of(zerocts, subject, ranks, out, more=()):
    """The diagnosis of a run of all clauses in the smoke tier. None: nothing of the subject failed."""
    log = pathlib.Path(out) / "results.ndjson"
    rules = ["--ranks", ranks, "--launcher", "local", "--tier", "smoke", *more]
    if not log.exists():
        subprocess.run(
            [zerocts, "check", *subject, *rules, "--out", out], capture_output=True, text=True, timeout=SECONDS_PER_RUN
        )
    report = subprocess.run([zerocts, "report", str(log), "--diagnosis"], capture_output=True, text=True)
    return json.loads(report.stdout) if report.returncode in JUDGED else None


def failing_clauses(out):
    records = map(json.loads, (pathlib.Path(out) / "results.ndjson").read_text().splitlines())
    return {record["clause"] for record in records if record["record"] == "failure" and "expected" not in record}


def notes_of(diagnosis):
    notes = [note["text"] for note in diagnosis.get("notes", [])]
    return [("note", text) for text in notes if not text.startswith("every failing case has")]


def answers_of(diagnosis):
    """As they are printed: (kind, words)."""
    known = [
        ("fault", " ".join([candidate["id"], *candidate.get("also", []), candidate["title"]]))
        for candidate in diagnosis.get("candidates", [])
    ]
    return notes_of(diagnosis) + known + [("clause", clause) for clause in diagnosis.get("unlike_clauses", [])]


def plain_answers_of(diagnosis, out):
    """The cause or factor, then the clauses that the fewest known faults break."""
    broken = broken_by_known_faults()
    clauses = sorted(failing_clauses(out) - {"C-ZERO-110"}, key=lambda clause: broken.get(clause, 0))
    return notes_of(diagnosis) + [("clause", clause) for clause in clauses]


class Fault:
    """What is right of a fault."""

    def __init__(self, words, clauses, same=()):
        self.words, self.clauses, self.same = words, clauses, same

    def is_named_by(self, answer):
        kind, text = answer
        if kind == "clause":
            return text in self.clauses
        ids = [word for word in text.split() if word in CLAUSES_OF] if kind == "fault" else []
        by_id = any(i in self.same for i in ids) or any(set(self.clauses) & set(CLAUSES_OF[i]) for i in ids[:1])
        return by_id or bool(self.words and re.search(self.words, text))


class Count:
    def __init__(self, name):
        self.name, self.runs, self.first, self.among, self.misleading = name, 0, 0, 0, 0

    def add(self, fault, answers):
        right = [fault.is_named_by(answer) for answer in answers[:3]]
        self.runs += 1
        self.first += right[:1] == [True]
        self.among += any(right)
        self.misleading += right[:1] == [False] and answers[0][0] != "clause"
        return "first" if right[:1] == [True] else "among" if any(right) else "wrong"

    def __str__(self):
        return (
            f"{self.name}: right first in {self.first} of {self.runs} runs, among three in {self.among}; "
            f"a wrong first line in {self.misleading}"
        )


def own_runs(arguments):
    """(name, subject, ranks, what is right) of the half."""
    halves = faults.halves()
    names = [*halves["tune"], *halves["aside"]] if arguments.own == "all" else halves[arguments.own]
    for name in names:
        folder = pathlib.Path(arguments.out) / re.sub(r"\W+", "_", name)
        folder.mkdir(parents=True, exist_ok=True)
        words, clauses = faults.CAUSES[faults.FAULTS[name][1]]
        yield name, faults.subject_of(name, folder), str(LEAST_RANKS), (), folder / "out", Fault(words, clauses)


def framework_runs(arguments):
    entries = chosen(arguments)
    if arguments.sample:
        random.Random(faults.SEED_OF_HALVES).shuffle(entries)
        entries = entries[: arguments.sample]
    for entry in entries:
        name = f"{entry['subject']:12} {entry['fault']:26} {entry['clause']}"
        if reason := ask_for(framework_of(entry["subject"]))[1]:
            print(f"{name} skipped: {reason}", flush=True)
            continue
        ranks = entry.get("ranks", LEAST_RANKS)
        ranks = ranks if isinstance(ranks, str) else str(max(ranks, LEAST_RANKS))
        subject = ["--subject", entry["subject"], "--option", f"fault={entry['fault']}"]
        folder = pathlib.Path(arguments.out) / f"{entry['subject']}.{entry['fault']}"
        same = SAME_FAULT.get(entry["fault"], "").split()
        more = ["--no-shrink", *entry.get("arguments", [])]
        yield name, subject, ranks, more, folder, Fault(WORDS.get(entry["fault"]), [entry["clause"]], same)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zerocts")
    parser.add_argument("--out", required=True, help="folder of the runs' logs")
    parser.add_argument("--own", choices=["tune", "aside", "all"], help="faults of own_faults/faults.py")
    parser.add_argument("--sample", type=int, default=0, help="so many faults of frameworks, at random")
    parser.set_defaults(smoke=False)
    add_choice(parser)
    arguments = parser.parse_args()
    said, plain = Count("the diagnosis"), Count("the plain rule")
    for name, subject, ranks, more, out, fault in (own_runs if arguments.own else framework_runs)(arguments):
        diagnosis = diagnosis_of(arguments.zerocts, subject, ranks, str(out), more)
        if diagnosis is None:
            print(f"{name:42} no failure in so few cases", flush=True)
            continue
        answers = answers_of(diagnosis)
        result = said.add(fault, answers)
        by_rule = plain.add(fault, plain_answers_of(diagnosis, out))
        first = answers[0][1] if answers else "nothing"
        print(f"{name:42} {result}, plain rule {by_rule}; {first[:100]}", flush=True)
    print(f"{said}\n{plain}")
    return 0 if said.runs else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
