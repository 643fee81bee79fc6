#!/usr/bin/env python3
"""Frameworks at world sizes that only large machines have, with ranks as threads of one process: right ones conform,
and what is wrong beyond eight ranks alone is found. What this machine cannot have is skipped.

usage: wide_test.py ZEROCTS [unittest arguments]
"""

import sys
import unittest

from framework_check import USAGE, FrameworkCheck

CONFORMANT, NOT_CONFORMANT, CRASH_OR_HANG = 0, 1, 4
WORLD_SIZES = (8, 16, 64, 256, 512)
FAMILIES = ["ownership", "reduction", "accumulation", "norm", "step", "agreement"]


class Threads(FrameworkCheck):
    def expect(self, exit_code, words, subject, *arguments, ranks):
        self.expect_end(exit_code, words, subject, *arguments, "--launcher", "threads", "--ranks", str(ranks))

    def expect_fault(self, exit_code, words, fault, *arguments, ranks):
        self.expect(
            exit_code, words, "torch-fsdp2", *arguments, "--option", f"fault={fault}", "--no-shrink", ranks=ranks
        )


class Wide(Threads):
    def test_sixteen_ranks(self):
        self.expect(
            CONFORMANT, "for 16 ranks of 1024", "torch-fsdp2", "C-ZERO-010", "C-ZERO-016", "--cases", "8", ranks=16
        )  # fmt: skip

    def test_of_zero1(self):
        self.expect(
            CONFORMANT, "for 11 ranks of 1024", "torch-zero1", "C-ZERO-010", "C-ZERO-050", "--cases", "8", ranks=11
        )  # fmt: skip

    def test_a_fault_beyond_eight_ranks(self):
        fault = "node_alone_is_added", "C-ZERO-011", "--cases", "8"
        self.expect_fault(CONFORMANT, "for 8 ranks", *fault, ranks=8)
        self.expect_fault(NOT_CONFORMANT, "gradient", *fault, ranks=9)

    def test_a_rank_that_raises_is_named(self):
        """Options are tried on a small case before the first clause."""
        self.expect_fault(
            USAGE, "rank 11 refused step (step 0): INTERNAL: RuntimeError: nothing left",
            "last_rank_raises", "C-ZERO-010", "--cases", "1", ranks=12,
        )  # fmt: skip

    def test_a_rank_that_ends_the_process_is_named(self):
        self.expect_fault(
            CRASH_OR_HANG, "rank 11 exited with 3, it stood at step 0, in step",
            "last_rank_exits", "C-ZERO-010", "--cases", "1", ranks=12,
        )  # fmt: skip

    def test_a_rank_that_hangs_is_named_first(self):
        self.expect_fault(
            CRASH_OR_HANG, "ranks 11, 0 to 10 did not answer before the deadline; rank 11: ",
            "last_rank_hangs", "C-ZERO-010", "--cases", "1", "--precision", "fp32", "--deadline", "6", ranks=12,
        )  # fmt: skip

    def test_bytes_that_ranks_share_unevenly(self):
        self.expect(
            CONFORMANT,
            "self-reported, for 24 ranks",
            "torch-fsdp2",
            "C-ZERO-100",
            "--precision",
            "fp32",
            "--cases",
            "4",
            ranks=24,
        )

    def test_what_cannot_be_is_one_sentence(self):
        for subject, ranks, words in (
            ("deepspeed-2", 3, "expected a subject that declares ranks_as_threads, got deepspeed-2, which does not"),
            ("torch-fsdp2", 1025, "expected world sizes from 1 to 1024, which subject torch-fsdp2 declares, got 1025"),
        ):
            self.expect(USAGE, words, subject, "C-ZERO-010", ranks=ranks)
        self.expect(
            USAGE, "expected 1, 2, 4, 8 or 16, which subject torch-fsdp2 declares and 16 ranks allow, got '3'",
            "torch-fsdp2", "C-ZERO-010", "--replicas", "3", ranks=16,
        )  # fmt: skip

    def test_a_sum_for_the_mean_is_found_at_each_world_size(self):
        for ranks in WORLD_SIZES:
            with self.subTest(ranks=ranks):
                self.expect_fault(
                    NOT_CONFORMANT, "times W: not divided by the number of ranks", "sum_for_mean",
                    "C-ZERO-010", "--cases", "2", ranks=ranks,
                )  # fmt: skip

    def test_a_mesh_and_the_shapes_of_a_model(self):
        mesh = "--launcher", "threads", "--mesh", "replicate=4,shard=16", "--shapes", "llama-3-8b"
        words = "C-ZERO-010", "--cases", "8", "--precision", "fp32", *mesh
        self.expect_end(CONFORMANT, "shapes of llama-3-8b (21 of 291 tensors", "torch-fsdp2", *words)
        fault = "--option", "fault=sum_over_replicas", "--no-shrink"
        self.expect_end(NOT_CONFORMANT, "of model.", "torch-fsdp2", *words, *fault)

    def test_deepspeed_on_sixty_four_processes(self):
        words = (
            "C-ZERO-010",
            "C-ZERO-050",
            "--cases",
            "8",
            "--precision",
            "fp32",
            "--launcher",
            "local",
            "--ranks",
            "64",
        )
        self.expect_end(CONFORMANT, "for 64 ranks", "deepspeed-2", *words)

    def test_five_hundred_and_twelve_ranks(self):
        self.expect(CONFORMANT, "for 512 ranks of 1024", "torch-fsdp2", "C-ZERO-010", "--cases", "4", ranks=512)
        self.expect_fault(NOT_CONFORMANT, "gradient", "rank_in_a_signed_byte", "C-ZERO-011", "--cases", "2", ranks=512)


class Families(Threads):
    """It takes more than an hour."""

    def test_sixty_four_ranks_in_six_families(self):
        self.expect(CONFORMANT, "for 64 ranks of 1024", "torch-fsdp2", *FAMILIES, "--cases", "8", ranks=64)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
