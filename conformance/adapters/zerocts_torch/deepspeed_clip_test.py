"""Tests of DeepSpeed's clip formulas; neither DeepSpeed nor torch is needed."""

import sys
import unittest
from pathlib import Path

import numpy

ADAPTERS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from zerocts_torch import deepspeed_clip  # noqa: E402

SUBJECTS = ("deepspeed-0", "deepspeed-1", "deepspeed-1-bf16", "deepspeed-2", "deepspeed-3")


def formulas(kind):
    return [deepspeed_clip.formula_of(subject, kind) for subject in SUBJECTS]


class Formulas(unittest.TestCase):
    def test_each_optimizer_has_its_own(self):
        self.assertEqual(formulas("cpu"), ["min", "deepspeed", "torch", "deepspeed", "deepspeed_fp64"])

    def test_stages_1_and_2_multiply_by_a_reciprocal_on_a_gpu(self):
        self.assertEqual(
            formulas("cuda"), ["min", "deepspeed_reciprocal", "torch", "deepspeed_reciprocal", "deepspeed_fp64"]
        )


class Coefficients(unittest.TestCase):
    def assert_bits(self, formula, norm, max_norm, bits):
        coefficient = deepspeed_clip.result(formula, norm, max_norm).clip_coefficient
        self.assertEqual(int(numpy.float32(coefficient).view(numpy.uint32)), bits)

    def test_bits_seen_on_a_gpu(self):
        self.assert_bits("deepspeed_reciprocal", 1.5, 0.75, 1056964596)

    def test_bits_seen_on_a_cpu(self):
        """reference/optim/deepspeed_clip_bits.inc"""
        self.assert_bits("deepspeed", 5.0, 2.5, 0x3EFFFFFC)
        self.assert_bits("deepspeed_fp64", 5.0, 2.5, 0x3EFFFFFD)
        self.assert_bits("deepspeed", 1.25, 0.625, 0x3EFFFFF4)
        self.assert_bits("deepspeed_fp64", 1.25, 0.625, 0x3EFFFFF3)

    def test_short_gradients_stay(self):
        for formula in set(formulas("cpu") + formulas("cuda")):
            self.assert_bits(formula, 0.5, 0.75, 0x3F800000)


if __name__ == "__main__":
    unittest.main()
