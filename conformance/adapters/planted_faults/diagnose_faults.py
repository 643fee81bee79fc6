"""How often does the diagnosis of a whole run name what each planted fault of killed_by.json is about?

    python3 diagnose_faults.py ZEROCTS --out FOLDER [--subject deepspeed-1] [--fault state_lost]

A candidate is right where it is the same fault in the native engine or a specimen, or where the clause that
killed_by.json names must find it too; so is that clause by itself. Runs that stand in FOLDER are not repeated, and
are compared anew with the faults that ZEROCTS knows. Exit code 0: measured; 77: this machine has none of the
frameworks.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from check_faults import NOT_CONFORMANT, SKIPPED, add_choice, ask_for, chosen, framework_of

SECONDS_PER_RUN = 1800
LEAST_RANKS = 3
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
KNOWN_FAULTS = pathlib.Path(__file__).resolve().parents[2] / "contract" / "known_faults.json"


def clauses_of_known_faults():
    return {fault["id"]: fault["clauses"] for fault in json.loads(KNOWN_FAULTS.read_text())["faults"]}


def diagnosis_of(zerocts, entry, out):
    """The diagnosis of a run of all clauses in the smoke tier. None: nothing of the subject failed."""
    log = pathlib.Path(out) / "results.ndjson"
    check = [zerocts, "check", "--subject", entry["subject"], "--option", f"fault={entry['fault']}"]
    ranks = entry.get("ranks", LEAST_RANKS)
    ranks = ranks if isinstance(ranks, str) else str(max(ranks, LEAST_RANKS))
    rules = ["--ranks", ranks, "--launcher", "local", "--tier", "smoke", "--no-shrink"]
    if not log.exists():
        subprocess.run([*check, *rules, "--out", out], capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    report = subprocess.run([zerocts, "report", str(log), "--diagnosis"], capture_output=True, text=True)
    return json.loads(report.stdout) if report.returncode == NOT_CONFORMANT else None


def is_right(diagnosis, entry, clauses_of):
    """(the first one is, one of the three is)"""
    same = SAME_FAULT.get(entry["fault"], "").split()
    candidates = [
        [
            fault in same or entry["clause"] in clauses_of[fault]
            for fault in (candidate["id"], *candidate.get("also", []))
        ]
        for candidate in diagnosis["candidates"]
    ]
    unlike = diagnosis.get("unlike_clauses", [])
    first = candidates[0][0] if candidates else unlike[:1] == [entry["clause"]]
    return first, entry["clause"] in unlike or any(map(any, candidates))


def words_of(diagnosis):
    named = [f"{candidate['id']} {100 * candidate['likeness']:.0f} %" for candidate in diagnosis["candidates"]]
    return ", ".join(named + [f"unlike, {clause}" for clause in diagnosis.get("unlike_clauses", [])]) or "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zerocts")
    parser.add_argument("--out", required=True, help="folder of the runs' logs")
    parser.set_defaults(smoke=False)
    add_choice(parser)
    arguments = parser.parse_args()
    clauses_of = clauses_of_known_faults()
    runs, first_right, among = 0, 0, 0
    for entry in chosen(arguments):
        place = f"{entry['subject']:12} {entry['fault']:26} {entry['clause']}"
        if reason := ask_for(framework_of(entry["subject"]))[1]:
            print(f"{place} skipped: {reason}", flush=True)
            continue
        out = pathlib.Path(arguments.out) / f"{entry['subject']}.{entry['fault']}"
        diagnosis = diagnosis_of(arguments.zerocts, entry, str(out))
        if diagnosis is None:
            print(f"{place} no failure in so few cases", flush=True)
            continue
        first, one = is_right(diagnosis, entry, clauses_of)
        runs, first_right, among = runs + 1, first_right + first, among + one
        print(f"{place} {'first' if first else 'among' if one else 'wrong'}: {words_of(diagnosis)}", flush=True)
    print(f"right first in {first_right} of {runs} runs, among three in {among}")
    return 0 if runs else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
