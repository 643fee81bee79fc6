#!/usr/bin/env python3
"""The engine trains through plan files of other planners, with the bits of the reference; an engine that keeps to
another division fails, and a plan that nobody can train through is refused in a sentence.

usage: plan_files_test.py ZEROCTS ROOT [MUTANTS] [unittest arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ZEROCTS, ROOT, MUTANTS = (Path(argument).absolute() for argument in sys.argv[1:4])
UNEVEN = ROOT / "conformance/plans/examples/uneven_cuts.json"
PATIENCE = 300  # seconds for one command
ODD = "gpt:layers=1,width=6,heads=2,vocab=11,context=5"
NOT_CONFORMANT, USAGE = 1, 2


class PlanFiles(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def zerocts(self, *words):
        return subprocess.run(
            [ZEROCTS, *words], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def check(self, plan, *words, subject="native"):
        return self.zerocts("check", "--subject", subject, "--plan", f"file:{plan}", "--launcher", "threads",
                            "--tier", "smoke", "--out", "run", *words)  # fmt: skip

    def made(self, *words):
        ended = self.zerocts("plan", "make", *words, "--out", "plan.json")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return "plan.json"

    def expect_conformant(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"\nconformant: .*; partial: ")

    def test_rows_as_torch_fsdp2_cuts_them(self):
        self.expect_conformant(
            self.check(self.made("--model", ODD, "--plan", "per-parameter-rows", "--stage", "3", "--ranks", "3"))
        )

    def test_owners_of_whole_tensors_on_replicas(self):
        plan = self.made("--model", ODD, "--plan", "balanced", "--stage", "2", "--ranks", "4", "--replicas", "2")
        self.expect_conformant(self.check(plan))

    def test_uneven_cuts_by_hand(self):
        self.expect_conformant(self.check(UNEVEN))
        run = json.loads((self.folder / "run/results.ndjson").read_text(encoding="utf-8").splitlines()[0])
        self.assertEqual(run["world_sizes"], [3])

    def test_an_engine_that_divides_otherwise_fails(self):
        for mutant in ("M246", "M247"):
            ended = self.check(UNEVEN, "C-ZERO-001", subject=f"plugin:{MUTANTS / mutant}.so")
            self.assertEqual(ended.returncode, NOT_CONFORMANT, ended.stdout + ended.stderr)
            self.assertIn("as the plan file says", " ".join(ended.stdout.split()))

    def expect_refused(self, ended, *phrases):
        self.assertEqual(ended.returncode, USAGE, ended.stdout + ended.stderr)
        for phrase in phrases:
            self.assertIn(phrase, ended.stderr)

    def edited(self, change):
        plan = json.loads(UNEVEN.read_text(encoding="utf-8"))
        change(plan)
        (self.folder / "edited.json").write_text(json.dumps(plan), encoding="utf-8")
        return "edited.json"

    def test_frozen_and_tied_tensors(self):
        """b is frozen; scale has another name. Only parameters of b are divided, and nothing of the other name."""

        def freeze_and_tie(plan):
            plan["model"][1]["frozen"] = True
            plan["model"].append({"name": "scale again", "shape": [], "tied_to": "scale"})
            divisions = plan["parameters"]["divisions"]
            plan["gradients"] = {"axes": ["shard"], "divisions": [divisions[0], divisions[2]]}
            plan["optimizer"] = "gradients"

        self.expect_conformant(self.check(self.edited(freeze_and_tie)))

    def test_what_nobody_can_train_through_is_refused(self):
        def leave_a_gap(plan):
            plan["parameters"]["divisions"][0]["intervals"][1] = [1, 8, 0]

        def freeze_all(plan):
            for tensor in plan["model"]:
                tensor["frozen"] = True
            plan["gradients"] = plan["optimizer"] = {"axes": ["shard"], "divisions": []}

        def divide_otherwise(plan):
            divisions = json.loads(json.dumps(plan["parameters"]["divisions"]))
            divisions[1]["intervals"] = [[0, 7, 0]]
            plan["gradients"], plan["optimizer"] = {"axes": ["shard"], "divisions": divisions}, "parameters"

        self.expect_refused(self.check(self.edited(leave_a_gap)), "expected a sound one, got P1 coverage")
        self.expect_refused(self.check(self.edited(freeze_all)), "expected a model with a trained tensor at least")
        self.expect_refused(self.check(self.edited(divide_otherwise)),
                            "expected gradients of b divided as its optimizer state is")  # fmt: skip
        self.expect_refused(self.check("nowhere.json"), "expected a file that can be read")
        self.expect_refused(self.check(UNEVEN, "--ranks", "2,3"), "--ranks: expected 3, as many as")
        plan = self.made("--model", "gpt2-124m", "--plan", "contiguous", "--ranks", "2")
        self.expect_refused(self.check(plan), "expected at most 1048576 elements")

    def test_a_subject_must_declare_that_it_takes_them(self):
        full = ZEROCTS.parent.parent / "lib/zerocts/subjects/full.so"
        self.expect_refused(
            self.check(UNEVEN, subject=f"plugin:{full}"), 'expected a subject that declares "plan_files"'
        )


if __name__ == "__main__":
    os.environ.pop("ZEROCTS_PLAN", None)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
