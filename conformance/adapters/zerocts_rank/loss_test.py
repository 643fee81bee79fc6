"""Tests of the gradient of a quadratic loss, with the numbers of reference/experiment/given_loss_test.cpp."""

import pathlib
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from zerocts_rank import curved_gradient  # noqa: E402


def array(*values):
    return numpy.array(values, numpy.float32)


class CurvedGradient(unittest.TestCase):
    def expect(self, expected, g, curvature, forward, backward):
        got = curved_gradient(g, curvature, forward, backward)
        self.assertEqual(got.dtype, numpy.float32)
        numpy.testing.assert_array_equal(got, expected)

    def test_it_is_g_and_curvature_times_the_parameter(self):
        p = array(0.1, -3, 2**-30)
        self.expect(array(1 + numpy.float32(0.05), 0.5, 3), array(1, 2, 3), 0.5, p, p)

    def test_elements_without_a_gradient_have_none(self):
        self.expect(array(0, 9), array(0, 4), 1.0, array(5, 5), array(5, 5))

    def test_other_values_in_forward_or_backward_show(self):
        self.expect(array(8, 8), array(4, 4), 1.0, array(2, 6), array(6, 2))

    def test_poison_shows_in_every_element(self):
        nan = numpy.nan
        self.expect(array(nan, nan), array(0, 1), 1.0, array(nan, nan), array(1, 1))


if __name__ == "__main__":
    unittest.main()
