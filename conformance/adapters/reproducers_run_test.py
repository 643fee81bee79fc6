#!/usr/bin/env python3
"""Reproducers, as a maintainer runs them: under torch.distributed.run, with no part of this suite.
usage: reproducers_run_test.py ZEROCTS [unittest arguments]; exit 77: skipped, with the reason"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from available import HERE, framework_of, python_for, python_or_skip

PATIENCE = 300  # seconds, on a machine with other work
PASS, FAIL = 0, 1
KNOWN = {
    subject: next((HERE / "expectations" / subject).glob("C-ZERO-033-*.json"))
    for subject in ("torch-zero1", "torch-fsdp2")
}
BF16 = {"precision": "bf16"}
DECLARED = {  # stage, and what of the experiment is the subject's
    "torch-zero1": (1, {}),
    "torch-fsdp2": (3, {}),
    "fairscale-oss": (1, {}),
    "fairscale-sharded-ddp": (1, {"max_norm": 0.0}),
    "deepspeed-0": (0, {"clip_formula": "min"}),
    "deepspeed-1": (1, {"clip_formula": "deepspeed"}),
    "deepspeed-1-bf16": (1, BF16),
    "deepspeed-2": (2, {"clip_formula": "deepspeed"}),
    "deepspeed-3": (3, {"clip_formula": "deepspeed_fp64"}),
}
SYNC = {"deepspeed-2": "every_micro_batch", "deepspeed-3": "every_micro_batch"}
TIED = {
    "roles": {
        "buffers": [],
        "frozen": [],
        "precisions": [],
        "without_gradient": [],
        "tied": [{"parameter": 2, "owner": 0}],
    }
}
EMPTY_NORM = "cannot compute the inf norm on an empty tensor"
# Forks with a fault: the last rank does not update; a checkpoint that is saved halves the momentum; three ranks load
# without momentum.
FAULT = """
import torch
healthy = torch.optim.SGD.step
def step(self, *arguments):
    if torch.distributed.get_rank() < torch.distributed.get_world_size() - 1:
        return healthy(self, *arguments)
torch.optim.SGD.step = step
"""
SAVING_CHANGES = """
import torch
import torch.distributed.checkpoint as checkpoint
healthy = checkpoint.save
def save(state, **arguments):
    saved = healthy(state, **arguments)
    for states in state["optimizer"]["state"].values():
        states["momentum_buffer"].mul_(0.5)
    return saved
checkpoint.save = save
"""
OTHERS_LOSE_MOMENTUM = """
import torch
import torch.distributed.checkpoint as checkpoint
healthy = checkpoint.load
def load(state, **arguments):
    healthy(state, **arguments)
    for states in state["optimizer"]["state"].values():
        if torch.distributed.get_world_size() == 3:
            states["momentum_buffer"].zero_()
checkpoint.load = load
"""


def healthy_case(subject, **changes):
    """Two ranks, two micro-batches, clipping by the 2-norm, a rate that changes."""
    stage, declared = DECLARED[subject]
    case = json.loads(KNOWN["torch-zero1"].read_text())
    group = {**case["experiment"]["groups"][0], "momentum": 0.5}
    case["experiment"].update(
        world_size=2,
        micro_batches=2,
        steps=3,
        clip_norm="2",
        max_norm=2.0,
        groups=[group],
        changes=[{"step": 1, "group": 0, "values": {**group, "lr": 0.25}}],
        parameters=[
            {"name": name, "shape": shape, "group": 0} for name, shape in (("a", [3, 2]), ("b", [5]), ("c", [3, 2]))
        ],
    )
    case["experiment"].update({**declared, **changes})
    return {**case, "stage": stage, "gradient_sync": SYNC.get(subject, "last_micro_batch"), "clause": "C-ZERO-032"}


def resumed_case(subject):
    """Between its steps the hyper-parameters have changed."""
    return {**healthy_case(subject, max_norm=0.0), "checkpoint": {"after_step": 1, "how": "resume"}}


def saved_case(subject):
    return {**resumed_case(subject), "checkpoint": {"after_step": 1, "how": "save_only"}}


def resharded_case(subject):
    """Two ranks save, three load."""
    return {
        **resumed_case(subject),
        "clause": "C-ZERO-081",
        "checkpoint": {"after_step": 1, "how": "reshard", "other_world_size": 3},
    }


def damaged_case(subject, what):
    return {
        **resumed_case(subject),
        "clause": "C-ZERO-088",
        "checkpoint": {"after_step": 1, "how": "resume", "damage": {"what": what, "file": 0}},
    }


def known_of(subject, clause):
    entries = json.loads((HERE / "expectations" / f"{subject}.json").read_text())["entries"]
    return [entry for entry in entries if entry["clause"] == clause]


class Reproducers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def python_of(self, subject):
        return python_for(self, framework_of(subject))

    def fork_of(self, python, fault=FAULT):
        (self.folder / "sitecustomize.py").write_text(fault)
        fork = self.folder / "python"
        fork.write_text(f"#!/bin/sh\nPYTHONPATH='{self.folder}' exec '{python}' \"$@\"\n")
        fork.chmod(0o755)
        return fork

    def call(self, *command):
        ended = subprocess.run(
            list(map(str, command)), cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return ended.returncode, ended.stdout + ended.stderr

    def replay(self, subject, case, *arguments):
        """(exit code, output, the reproducer)"""
        path, file = self.folder / "case.json", self.folder / f"reproduce-{subject}.py"
        path.write_text(json.dumps(case))
        file.unlink(missing_ok=True)
        exit_code, output = self.call(
            ZEROCTS, "replay", path, "--subject", subject, "--deadline", "60", "--reproducer", file, *arguments
        )
        return exit_code, output, file

    def reproduce(self, file, python, ranks=2):
        return self.call(python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, file)

    def expect_failure(self, subject, path, seen):
        case = json.loads(path.read_text())
        ranks = case["experiment"]["world_size"] * case.get("tensor", 1)
        exit_code, output, file = self.replay(subject, case)
        self.assertEqual(exit_code, FAIL, output)
        self.assertIn("known since", output)
        self.assertIn(f"torch.distributed.run --standalone --nproc-per-node {ranks}", output)
        exit_code, output = self.reproduce(file, self.python_of(subject), ranks)
        self.assertEqual(exit_code, FAIL, output)
        self.assertIn(seen, output)

    def test_an_exception_in_zero1(self):
        self.expect_failure("torch-zero1", KNOWN["torch-zero1"], EMPTY_NORM)

    def test_an_exception_in_fsdp2(self):
        self.expect_failure("torch-fsdp2", KNOWN["torch-fsdp2"], EMPTY_NORM)

    def test_short_scripts_show_known_failures(self):
        """Each says what the torch that is pinned says."""
        for script in (HERE / "expectations").glob("*/*.py"):
            with self.subTest(script.name):
                said = re.search(r'torch 2.13: "(.*)"$', script.read_text(), re.MULTILINE).group(1)
                exit_code, output = self.reproduce(script, self.python_of(script.parent.name), ranks=3)
                self.assertEqual(exit_code, FAIL, output)
                self.assertIn(said, output)

    def test_what_tensor_ranks_without_columns_meet(self):
        for subject in ("torch-tp", "torch-tp-fsdp2"):
            (entry,) = known_of(subject, "C-ZERO-120")
            with self.subTest(subject):
                self.expect_failure(subject, HERE / "expectations" / entry["case"], entry["message"])

    def test_what_fsdp2_loses_when_it_resumes(self):
        for entry in known_of("torch-fsdp2", "C-ZERO-083"):
            with self.subTest(entry["case"]):
                seen = "elements differ" if entry["result"] == "fail" else entry["message"]
                self.expect_failure("torch-fsdp2", HERE / "expectations" / entry["case"], seen)

    def test_deepspeed_loads_what_is_not_whole(self):
        for subject in ("deepspeed-1", "deepspeed-1-bf16", "deepspeed-2", "deepspeed-3"):
            (entry,) = known_of(subject, "C-ZERO-088")
            with self.subTest(subject):
                self.expect_failure(subject, HERE / "expectations" / entry["case"], "loaded what is not whole")

    def expect_nothing(self, subject, case):
        exit_code, output, file = self.replay(subject, case)
        self.assertEqual(exit_code, PASS, output)
        exit_code, output = self.reproduce(file, self.python_of(subject))
        self.assertEqual(
            (exit_code, len(re.findall("rank [01]: (?:refused, )?as expected", output))), (PASS, 2), output
        )

    def test_cases_that_pass(self):
        for subject in DECLARED:
            with self.subTest(subject):
                self.expect_nothing(subject, healthy_case(subject))

    def test_resumed_cases_that_pass(self):
        for subject in DECLARED.keys() - {"fairscale-sharded-ddp"}:  # which has no checkpoints
            with self.subTest(subject):
                self.expect_nothing(subject, resumed_case(subject))

    def test_saving_cases_that_pass(self):
        for subject in ("torch-zero1", "torch-fsdp2", "fairscale-oss", "deepspeed-2"):
            with self.subTest(subject):
                self.expect_nothing(subject, saved_case(subject))

    def reproduce_with_others(self, file, python):
        """By the two ranks that save, then by the three that load."""
        exit_code, output = self.reproduce(file, python)
        self.assertEqual((exit_code, len(re.findall("rank [01]: saved", output))), (PASS, 2), output)
        return self.reproduce(file, python, 3)

    def test_checkpoints_for_other_ranks_that_pass(self):
        for subject in ("torch-zero1", "torch-fsdp2", "fairscale-oss", "deepspeed-0"):
            with self.subTest(subject):
                exit_code, output, file = self.replay(subject, resharded_case(subject))
                self.assertEqual(exit_code, PASS, output)
                self.assertRegex(output, r"(?s)--nproc-per-node 2 .* &&\n.*--nproc-per-node 3 ")
                exit_code, output = self.reproduce_with_others(file, self.python_of(subject))
                self.assertEqual((exit_code, len(re.findall("rank [012]: as expected", output))), (PASS, 3), output)

    def test_what_others_load_wrong(self):
        python = self.python_of("torch-fsdp2")
        fork = self.fork_of(python, OTHERS_LOSE_MOMENTUM)
        exit_code, output, file = self.replay("torch-fsdp2", resharded_case("torch-fsdp2"), "--python", fork)
        self.assertEqual(exit_code, FAIL, output)
        self.assertIn("3 ranks load what 2 saved: ", output)
        exit_code, output = self.reproduce_with_others(file, fork)
        self.assertEqual(exit_code, FAIL, output)
        self.assertIn("elements differ", output)
        exit_code, output = self.reproduce_with_others(file, python)
        self.assertEqual(exit_code, PASS, output)

    def expect_failure_of_a_fork_alone(self, file, fork, python):
        """What the fork says."""
        exit_code, said = self.reproduce(file, fork)
        self.assertEqual(exit_code, FAIL, said)
        exit_code, output = self.reproduce(file, python)
        self.assertEqual(exit_code, PASS, output)
        return said

    def test_what_those_who_save_for_others_do_wrong(self):
        python = self.python_of("torch-fsdp2")
        fork = self.fork_of(python)
        exit_code, output, file = self.replay("torch-fsdp2", resharded_case("torch-fsdp2"), "--python", fork)
        self.assertEqual(exit_code, FAIL, output)
        self.expect_failure_of_a_fork_alone(file, fork, python)

    def test_a_save_that_changes_what_is_saved(self):
        python = self.python_of("torch-fsdp2")
        fork = self.fork_of(python, SAVING_CHANGES)
        exit_code, output, file = self.replay("torch-fsdp2", saved_case("torch-fsdp2"), "--python", fork)
        self.assertEqual(exit_code, FAIL, output)
        self.expect_failure_of_a_fork_alone(file, fork, python)

    def test_damaged_checkpoints_that_are_refused(self):
        for subject, what in (
            ("torch-zero1", "cut"),
            ("torch-fsdp2", "missing"),
            ("fairscale-oss", "missing"),
            ("deepspeed-0", "cut"),
        ):
            with self.subTest(subject):
                self.expect_nothing(subject, damaged_case(subject, what))

    def test_bf16_cases_that_pass(self):
        for subject in ("torch-fsdp2", "deepspeed-2", "deepspeed-3"):
            with self.subTest(subject):
                self.expect_nothing(subject, healthy_case(subject, **BF16))

    def test_tied_names_that_pass(self):
        for subject in ("torch-zero1", "deepspeed-1", "deepspeed-3"):
            with self.subTest(subject):
                self.expect_nothing(subject, healthy_case(subject, **TIED))

    def expect_a_wrong_value_in_a_fork(self, subject, **changes):
        python = self.python_of(subject)
        fork = self.fork_of(python)
        exit_code, output, file = self.replay(subject, healthy_case(subject, **changes), "--python", fork)
        self.assertEqual(exit_code, FAIL, output)
        output = self.expect_failure_of_a_fork_alone(file, fork, python)
        self.assertRegex(output, r"elements differ\n  expected tensor\(.*\n  got      tensor\(")

    def test_a_wrong_value_in_a_fork_of_zero1(self):
        self.expect_a_wrong_value_in_a_fork("torch-zero1")

    def test_a_wrong_value_in_a_fork_of_fsdp2(self):
        self.expect_a_wrong_value_in_a_fork("torch-fsdp2")

    def test_a_wrong_bf16_value_in_a_fork_of_fsdp2(self):
        self.expect_a_wrong_value_in_a_fork("torch-fsdp2", **BF16)

    def test_wrong_values_in_a_fork_of_deepspeed(self):
        for subject in (subject for subject in DECLARED if subject.startswith("deepspeed")):
            with self.subTest(subject):
                self.expect_a_wrong_value_in_a_fork(subject)

    def test_wrong_values_in_a_fork_of_fairscale(self):
        for subject in ("fairscale-oss", "fairscale-sharded-ddp"):
            with self.subTest(subject):
                self.expect_a_wrong_value_in_a_fork(subject)

    def test_stands_beside_the_case_of_a_check(self):
        exit_code, output = self.call(
            ZEROCTS, "check", "C-ZERO-033", "--subject", "torch-zero1", "--ranks", "1", "--cases", "20", "--out", "run"
        )
        (file,) = (self.folder / "run/cases").glob("reproduce-C-ZERO-033-*.py")
        self.assertTrue(file.with_name(file.name.removeprefix("reproduce-")).with_suffix(".json").is_file())
        self.assertIn(file.name, (self.folder / "run/junit.xml").read_text())

    def test_a_planted_fault_is_not_the_frameworks(self):
        exit_code, output, file = self.replay(
            "torch-zero1", healthy_case("torch-zero1"), "--option", "fault=sum_for_mean"
        )
        self.assertEqual((exit_code, file.exists()), (FAIL, False), output)
        self.assertIn("none: it was seen with fault=sum_for_mean, which the framework alone does not have", output)


if __name__ == "__main__":
    ZEROCTS = os.path.abspath(sys.argv.pop(1))
    PYTHON = python_or_skip("torch")
    unittest.main()
