"""Tests of what reads the control register: this file sets it, as a framework may."""

import ctypes
import pathlib
import platform
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from zerocts_rank.arithmetic import Arithmetic  # noqa: E402

C = ctypes.CDLL(None)


def set_mxcsr(bits):
    environment = ctypes.create_string_buffer(256)
    C.fegetenv(environment)
    environment[28:32] = bits.to_bytes(4, "little")
    C.fesetenv(environment)


def half_of_the_smallest_normal():
    return (numpy.array([2.0**-126], numpy.float32) * numpy.array([0.5], numpy.float32))[0]


@unittest.skipUnless(platform.machine() == "x86_64", "sets MXCSR")
class ArithmeticTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(set_mxcsr, 0x1F80)

    def test_of_a_fresh_thread_is_the_default(self):
        self.assertEqual(Arithmetic().now(), Arithmetic().default)

    def test_flush_to_zero_is_told_and_undone(self):
        arithmetic = Arithmetic()
        set_mxcsr(0x9FC0)
        self.assertEqual(half_of_the_smallest_normal(), 0)
        self.assertEqual(
            arithmetic.restore(arithmetic.default), "MXCSR: flush-to-zero on, denormals-are-zero on (0x1f80 -> 0x9fc0)"
        )
        self.assertNotEqual(half_of_the_smallest_normal(), 0)
        self.assertEqual(arithmetic.restore(arithmetic.default), "")

    def test_a_sticky_flag_is_no_change(self):
        set_mxcsr(0x1FBF)
        self.assertEqual(Arithmetic().restore(0x1F80), "")

    def test_an_unknown_machine_is_tried(self):
        arithmetic = Arithmetic("another")
        before = arithmetic.now()
        set_mxcsr(0x9F80)
        self.assertEqual(arithmetic.restore(before), "the arithmetic: flush-to-zero on (0x0000 -> 0x80000000)")
        self.assertEqual(arithmetic.now(), before)


if __name__ == "__main__":
    unittest.main()
