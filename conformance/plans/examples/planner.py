"""For `zerocts plan fuzz --planner 'python3 planner.py'`: part s of a tensor is [s * part, (s + 1) * part)."""

import json
import math
import sys

STATES = ["parameters", "gradients", "optimizer"]


def intervals(elements, shards):
    part = -(-elements // shards)  # rounded up, so the last parts are shorter, or none
    return [[s * part, min((s + 1) * part, elements), s] for s in range(shards) if s * part < elements]


def plan(request):
    shards = {axis["axis"]: axis["size"] for axis in request["mesh"]}["shard"]
    divisions = [
        {"tensors": [[t, t + 1]], "rule": "intervals", "intervals": intervals(math.prod(tensor["shape"]), shards)}
        for t, tensor in enumerate(request["model"])
        if "tied_to" not in tensor  # another name has nothing of its own
    ]
    answer = {"format": "zerocts-plan", "version": 1}
    first = 3 - request["stage"]  # stage 1 divides the optimizer state, 2 gradients too, 3 parameters too
    for i, state in enumerate(STATES):
        divided = {"axes": ["shard"], "divisions": divisions} if i == first else STATES[first % 3]
        answer[state] = divided if i >= first else "whole"
    return answer


for line in sys.stdin:
    print(json.dumps(plan(json.loads(line))), flush=True)
