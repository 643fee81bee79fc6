#!/usr/bin/env python3
"""Settings of frameworks as people choose them: right ones conform; a key or value that there is not is one sentence
before ranks start. What this machine cannot have is skipped.

usage: settings_test.py ZEROCTS [unittest arguments]
"""

import sys
import unittest

from framework_check import USAGE, FrameworkCheck

CLAUSES = ["reduction", "accumulation", "C-ZERO-032", "C-ZERO-050"]

# Subject, options of `zerocts check`, each of which has bits of its own to be wrong in.
FSDP2 = [
    ["--strategy", "HybridShard", "--option", "recompute=on"],
    ["--option", "offload_policy=cpu", "--option", "forward_prefetch=on", "--option", "backward_prefetch=on"],
    ["--replicas", "1,2", "--option", "force_sum_reduction=on", "--option", "recompute=on"],
]
ZERO1 = [
    ["--option", "parameters_as_bucket_view=on"],
    ["--option", "parameters_as_bucket_view=on", "--option", "gradient_as_bucket_view=on"],
]
DEEPSPEED = {
    "deepspeed-1": ["overlap_comm=true", "offload_optimizer.device=cpu"],
    "deepspeed-2": ["overlap_comm=true", "contiguous_gradients=false", "reduce_scatter=false"],
    "deepspeed-3": ["overlap_comm=true", "sub_group_size=20", "offload_param.device=cpu"],
}


class Settings(FrameworkCheck):
    def check_smoke(self, subject, *words):
        return self.check(subject, *words, "--launcher", "local", "--tier", "smoke")

    def expect_conformant(self, subject, *options, ranks="4"):
        with self.subTest(subject=subject, options=options):
            ended = self.check_smoke(subject, *CLAUSES, *options, "--ranks", ranks)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def expect_refused(self, subject, option, sentence):
        self.expect_end(
            USAGE, sentence, subject, "C-ZERO-010", "--launcher", "local", "--ranks", "3", "--option", option
        )

    def test_a_mesh_of_replicas_with_recomputation(self):
        ended = self.check_smoke(
            "torch-fsdp2", "C-ZERO-016", "--ranks", "4", "--strategy", "HybridShard",
            "--precision", "bf16", "--optimizer", "adamw", "--option", "recompute=on")  # fmt: skip
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_an_unknown_key_of_deepspeed(self):
        """DeepSpeed takes it in silence."""
        self.expect_refused(
            "deepspeed-2",
            "ds.gradient_predivide_facto=4",
            "expected a key of DeepSpeed's configuration, got gradient_predivide_facto; near it are "
            "gradient_predivide_factor",
        )

    def test_a_key_that_the_case_sets(self):
        self.expect_refused(
            "deepspeed-2",
            "ds.gradient_clipping=1",
            "expected a key of DeepSpeed's configuration that no case sets, got gradient_clipping",
        )

    def test_a_value_that_there_is_not(self):
        self.expect_refused("torch-fsdp2", "recompute=maybe", "this subject has: device=cpu|cuda, ")

    def test_of_fully_shard(self):
        for options in FSDP2:
            self.expect_conformant("torch-fsdp2", *options)

    def test_of_zero1(self):
        for options in ZERO1:
            self.expect_conformant("torch-zero1", *options)

    def test_of_deepspeed(self):
        for subject, keys in DEEPSPEED.items():
            for key in keys:
                self.expect_conformant(subject, "--option", f"ds.zero_optimization.{key}", ranks="3")

    def test_gradients_that_deepspeed_cannot_show_in_round_robin(self):
        """Its getter of a gradient gives another parameter's, or raises; the training itself is right."""
        options = ("--ranks", "3", "--no-shrink", "--option", "ds.zero_optimization.round_robin_gradients=true")
        ended = self.check_smoke("deepspeed-1", "C-ZERO-010", *options)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertRegex(" ".join(ended.stdout.split()), r"gradient of parameter \d+: expected \d+ values, got \d+")
        ended = self.check_smoke("deepspeed-1", "C-ZERO-050", *options)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
