#!/usr/bin/env python3
"""Models that frameworks train beside the reference: losses are within their bounds, and a fault's are not. What this
machine cannot have is skipped.

usage: run_test.py ZEROCTS [unittest arguments]
"""

import sys
import unittest

from framework_check import FrameworkCheck


class Run(FrameworkCheck):
    def train(self, subject, *words, steps=3):
        return self.ask("run", subject, "--ranks", "3", "--steps", str(steps), *words)

    def expect_within_bounds(self, steps, subject, *words):
        with self.subTest(subject=subject, words=words):
            ended = self.train(subject, *words)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertIn(f"the losses of {steps} of 3 steps are within the derived bound", ended.stdout)
            self.assertIn("all ranks hold the same parameters", ended.stdout)

    def expect_different(self, step, subject, *words, steps=3):
        with self.subTest(subject=subject, words=words):
            ended = self.train(subject, *words, steps=steps)
            self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
            self.assertIn(f"beyond the bound of exact arithmetic in step {step}", ended.stdout)

    def test_fsdp2(self):
        self.expect_within_bounds(3, "torch-fsdp2", "--model", "mlp", "--optimizer", "adamw")
        self.expect_within_bounds(1, "torch-fsdp2", "--model", "tiny")
        self.expect_different(
            1, "torch-fsdp2", "--model", "mlp", "--optimizer", "adamw", "--option", "fault=stale_unshard"
        )

    def test_an_mlp(self):
        for subject in ("torch-fsdp1", "torch-zero1", "deepspeed-1", "deepspeed-2", "deepspeed-3"):
            self.expect_within_bounds(3, subject, "--model", "mlp", "--optimizer", "sgd")
            self.expect_within_bounds(3, subject, "--model", "mlp", "--optimizer", "adamw")
        for subject in ("torch-fsdp2", "deepspeed-1-bf16", "deepspeed-2", "deepspeed-3"):
            self.expect_within_bounds(3, subject, "--model", "mlp", "--precision", "bf16", "--optimizer", "sgd")
            self.expect_within_bounds(2, subject, "--model", "mlp", "--precision", "bf16", "--optimizer", "adamw")

    def test_a_gpt(self):
        for subject in ("torch-fsdp1", "torch-zero1", "deepspeed-1", "deepspeed-2", "deepspeed-3", "fairscale-oss"):
            self.expect_within_bounds(1, subject, "--model", "tiny")
        for words in (["--untied"], ["--kv-heads", "1"], ["--precision", "bf16"], ["--option", "recompute=on"]):
            self.expect_within_bounds(1, "torch-fsdp2", "--model", "tiny", *words)

    def test_faults(self):
        fault = ["--option", "fault=sum_for_mean", "--optimizer", "sgd"]
        for subject in ("torch-fsdp2", "torch-zero1", "deepspeed-1"):
            self.expect_different(1, subject, *fault)
        self.expect_different(
            2, "torch-fsdp2", *fault, "--precision", "bf16", "--lr", "0.5", "--max-norm", "0", steps=5
        )


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
