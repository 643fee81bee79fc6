#!/usr/bin/env python3
"""Reads from the PTX of all kernels that their arithmetic is the written one: every operation on floats says how it
rounds, nothing is approximate or flushes to zero, and products meet sums only in kernels that say fma.

usage: ptx_test.py FOLDER      the folder with the kernels' .ptx; exit 0 when all is well, 1 with a line for each
fault
"""

import re
import sys
from pathlib import Path

# Bodies (impl/device/*_bodies.hpp, gemm_body.hpp) whose formulas hold an fma. Any other kernel has none.
WITH_FMA = {
    "Sgd",
    "AdamW",
    "Adam",
    "LambApply",
    "LambMoments",
    "MomentumSgd",
    "Gelu",
    "GeluGradient",
    "LayerNorm",
    "LayerNormGradient",
    "SoftmaxCrossEntropy",
    "SoftmaxNumerators",
    "CrossEntropyOfSums",
    "CausalAttention",
    "SoftmaxOfScores",
    "AttentionRowGradients",
    "AttentionColumnGradients",
    "Gemm",
}
WITHOUT_FMA = {
    "Fill",
    "CastToFloat",
    "CastToBf16",
    "RoundToBf16",
    "Add",
    "Divide",
    "Scale",
    "Max",
    "LargestLogits",
    "FoldLeaves",
    "Plain",
    "CarrySquares",
    "AddMagnitudes",
    "AddBias",
    "Embed",
    "EmbedGradient",
    "ColumnSums",
    "LayerNormParameterGradients",
    "CopyRows",
    "CastRowsToBf16",
    "GradientsOfScores",
}

ENTRY = re.compile(r"\.entry\s+(\w+)")
# Finds the body in a mangled name; for AddSquares, its term. What a product's operands are does not matter.
BODY = re.compile(r"6bodies\d+(?:AddSquaresINS\d_\d+)?([A-Za-z0-9]+?)(?:I\w+AlongE\w+?)?E+v")
ARITHMETIC = re.compile(
    r"^\s*(?:@!?%p\d+\s+)?((?:add|sub|mul|mad|fma|div|rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh)\.[.a-z0-9]*)\s"
)
FLOAT = re.compile(r"\.(?:f16|f16x2|bf16|bf16x2|f32|f32x2|f64)\b")
ROUNDED = re.compile(r"^(add|sub|mul|fma|div|rcp|sqrt)\.rn\.f(32|64)$")


def faults(path):
    """Faults of one file, and the bodies of its kernels."""
    found, bodies, kernel, body = [], set(), None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        entry = ENTRY.search(line)
        if entry:
            kernel = entry.group(1)
            match = BODY.search(kernel)
            body = match.group(1) if match else kernel
            bodies.add(body)
        where = f"{path.name}:{number}: {body}"
        if kernel and not line.lstrip().startswith("//"):
            if ".ftz" in line or ".approx" in line:
                found.append(f"{where}: approximate or flushing to zero: {line.strip()}")
                continue
            operation = ARITHMETIC.match(line)
            if not operation or not FLOAT.search(operation.group(1)):
                continue
            name = operation.group(1)
            if not ROUNDED.match(name):
                found.append(f"{where}: {name}: expected .rn, and fp32 or fp64")
            elif name.startswith("fma") and body not in WITH_FMA:
                found.append(f"{where}: {name} in a kernel that is not listed as using fma")
    return found, bodies


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(f"usage: {sys.argv[0]} FOLDER, with the .ptx of the kernels")
    files = sorted(Path(sys.argv[1]).glob("*.ptx"))
    found, bodies = [], set()
    for path in files:
        of_file, bodies_of_file = faults(path)
        found += of_file
        bodies |= bodies_of_file
    for body in sorted((WITH_FMA | WITHOUT_FMA) - bodies):
        found.append(f"{body}: no such kernel in {len(files)} files: expected all that are listed here")
    for body in sorted(bodies - WITH_FMA - WITHOUT_FMA):
        found.append(f"{body}: a kernel that is not listed here: say whether it uses fma")
    print(
        "\n".join(found)
        if found
        else f"{len(bodies)} kernels in {len(files)} files: every operation is rounded as written"
    )
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
