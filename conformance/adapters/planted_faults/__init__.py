"""Tests of the suite: faults planted into frameworks from outside, by --option fault=NAME. Each is one that a real ZeRO
has had. killed_by.json says which clause must kill it. No package has this folder.
"""

from . import deepspeed_zero, gradients, parameters, replicas, tensor_parallel, wide  # noqa: F401  they register
from .planting import names_of, plant

__all__ = ["names_of", "plant"]
