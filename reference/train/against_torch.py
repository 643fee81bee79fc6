#!/usr/bin/env python3
"""Compares the gradients of the reference's GPT with PyTorch's autograd.

usage: against_torch.py ZEROCTS [train options, such as --model tiny]

Trains one step with whole tensors written out, computes the same mean gradient with autograd in fp64 and in fp32 on the
same parameters and batches, and prints for every parameter how far ours and PyTorch's fp32 are from fp64:
  element: the largest error of an element, in units of 2^-23 times the sum of the magnitudes of the terms that it adds
  up
           (the parameter's mean of that where it is larger: a single term that nearly vanished has errors of its
           origin)
  whole:   the Euclidean norm of the error, relative to the gradient's, in units of 2^-23
An element's sum costs a few units; what its terms bring along from the layers above comes on top, for PyTorch as for
us. So ours is right when an element is within 4 units, or within 3 times PyTorch's largest error in that parameter, and
the whole within 2 times PyTorch's. Exit 0: it is; 1: it is not; 77: torch or numpy is missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}; pip install torch numpy")
    sys.exit(77)

ELEMENT_UNITS, ELEMENT_FACTOR, WHOLE_FACTOR = 4.0, 3.0, 2.0
EPSILON = 2.0**-23


def read_tensors(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    dtypes = {"F32": numpy.float32, "I32": numpy.int32}
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        values = numpy.frombuffer(data[begin:end], dtypes[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values.copy())
    return tensors


class Gpt:
    """The definition in torch; remembers for each parameter what its gradient sums up: pairs (output, factor)."""

    def __init__(self, spec, parameters):
        self.spec, self.p, self.sums = spec, parameters, []

    def remember(self, name, output, factor):
        output.retain_grad()
        self.sums.append((name, output, factor))
        return output

    def linear(self, x, weight, bias=None):
        y = self.remember(weight, x @ self.p[weight].T, ("rows", x.detach()))
        return y if bias is None else self.remember(bias, y + self.p[bias], ("ones",))

    def norm(self, x, name):
        mean = x.mean(-1, keepdim=True)
        rstd = 1 / torch.sqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5)
        hat = (x - mean) * rstd
        y = self.remember(name + ".weight", hat * self.p[name + ".weight"], ("hat", hat.detach()))
        return self.remember(name + ".bias", y + self.p[name + ".bias"], ("ones",))

    def attention(self, qkv):
        N, T, C = qkv.shape[0], qkv.shape[1], self.spec["width"]
        heads, kv_heads = self.spec["heads"], self.spec.get("kv_heads", self.spec["heads"])
        D = C // heads
        q, k, v = (part.view(N, T, -1, D).transpose(1, 2) for part in qkv.split([C, D * kv_heads, D * kv_heads], -1))
        k, v = (part.repeat_interleave(heads // kv_heads, 1) for part in (k, v))
        scores = (q @ k.transpose(-1, -2)) / D**0.5
        hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
        return (scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v).transpose(1, 2).reshape(N, T, C)

    def loss(self, inputs, targets):
        tokens = self.remember("token_embedding", self.p["token_embedding"][inputs], ("tokens", inputs))
        x = self.remember("position_embedding", tokens + self.p["position_embedding"], ("positions",))
        for layer in range(self.spec["layers"]):
            b = f"block{layer}"
            h = self.linear(self.norm(x, b + ".norm1"), b + ".qkv.weight", b + ".qkv.bias")
            x = x + self.linear(self.attention(h), b + ".attention_out.weight", b + ".attention_out.bias")
            h = self.linear(self.norm(x, b + ".norm2"), b + ".mlp_in.weight", b + ".mlp_in.bias")
            x = x + self.linear(F.gelu(h, approximate="tanh"), b + ".mlp_out.weight", b + ".mlp_out.bias")
        head = "token_embedding" if self.spec["tied"] else "head"
        logits = self.linear(self.norm(x, "final_norm"), head)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def magnitudes(self):
        """For each parameter the sum of the magnitudes of its gradient's terms."""
        total = {name: torch.zeros_like(value) for name, value in self.p.items()}
        for name, output, factor in self.sums:
            up = output.grad.abs()
            if factor[0] == "rows":
                total[name] += up.flatten(0, 1).T @ factor[1].abs().flatten(0, 1)
            elif factor[0] == "hat":
                total[name] += (up * factor[1].abs()).sum((0, 1))
            elif factor[0] == "ones":
                total[name] += up.sum((0, 1))
            elif factor[0] == "positions":
                total[name] += up.sum(0)
            else:
                total[name].index_add_(0, factor[1].flatten(), up.flatten(0, 1))
        return total


def gradients(spec, parameters, inputs, targets, dtype):
    leaves = {name: value.to(dtype).requires_grad_() for name, value in parameters.items()}
    model = Gpt(spec, leaves)
    loss = model.loss(inputs, targets)
    loss.backward()
    return loss.item(), {name: leaf.grad for name, leaf in leaves.items()}, model.magnitudes()


def main():
    program, options = sys.argv[1], sys.argv[2:] or ["--model", "tiny"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        trace = folder / "trace.ndjson"
        command = [program, "train", *options, "--steps", "1", "--tensors", str(folder), "--trace", str(trace)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        header, step_record = (json.loads(line) for line in trace.read_text().splitlines())
        initial = read_tensors(folder / "initial.safetensors")
        step = read_tensors(folder / "step000000.safetensors")
    spec = header["experiment"]["model"]["gpt"]
    parameters = {name.removeprefix("parameter/"): value for name, value in initial.items()}
    inputs, targets = step["inputs"].flatten(0, 1).long(), step["targets"].flatten(0, 1).long()

    loss, exact, magnitudes = gradients(spec, parameters, inputs, targets, torch.float64)
    _, single, _ = gradients(spec, parameters, inputs, targets, torch.float32)
    print(f"torch {torch.__version__}, {' '.join(options)}: {spec}, {inputs.numel()} tokens")
    print(f"loss: torch fp64 {loss:.9f}, ours {step_record['mean_loss']:.9f}")
    print(f"{'':<30} {'element: ours':>15} {'torch fp32':>11} {'whole: ours':>13} {'torch fp32':>11}")
    wrong = []
    for name in parameters:
        unit = EPSILON * magnitudes[name].clamp(min=magnitudes[name].mean())
        scale = EPSILON * exact[name].norm()
        errors = [(got - exact[name]).abs() for got in (step["gradient/" + name].double(), single[name].double())]
        (element, element_torch), (whole, whole_torch) = (
            [(error / unit).max().item() for error in errors],
            [(error.norm() / scale).item() for error in errors],
        )
        print(f"{name:<30} {element:15.3f} {element_torch:11.3f} {whole:13.3f} {whole_torch:11.3f}")
        if element > max(ELEMENT_UNITS, ELEMENT_FACTOR * element_torch) or whole > WHOLE_FACTOR * whole_torch:
            wrong.append(name)
    print("too far from fp64: " + ", ".join(wrong) if wrong else "all within the limits")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
