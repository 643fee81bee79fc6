"""A case's optimizer in torch's words: names and numbers, for which torch itself is not needed."""

CLASS_NAMES = {"sgd": "SGD", "adamw": "AdamW", "adam": "Adam", "muon": "Muon"}  # in torch.optim
STATE_KEYS = {"momentum": "momentum_buffer", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}
OWN = "own"  # the capability of a formula that has no words
NORM_TYPES = {"2": 2.0, "1": 1.0, "inf": float("inf")}  # of clip_grad_norm_


def options(optimizer, group):
    """Hyper-parameters of one group."""
    common = {"lr": group.lr, "weight_decay": group.weight_decay}
    if optimizer == "sgd":
        return {**common, "momentum": group.momentum, "dampening": group.dampening, "nesterov": group.nesterov}
    if optimizer == "muon":
        return {**common, "momentum": group.momentum, "nesterov": group.nesterov, "eps": group.eps}
    return {**common, "betas": (group.beta1, group.beta2), "eps": group.eps}


def parameter_groups(case, tensors):
    """The groups of the case, an empty one too, with the parameters that have state."""
    return [
        {
            "params": [
                tensors[p] for p, parameter in enumerate(case.parameters) if parameter.group == g and case.has_state(p)
            ],
            **options(case.optimizer, values),
        }
        for g, values in enumerate(case.groups)
    ]


def defaults(case):
    """foreach and fused kernels have other bits."""
    kernels = {"sgd": {"foreach": False}, "muon": {}}.get(case.optimizer, {"foreach": False, "fused": False})
    return {"lr": case.groups[0].lr, **kernels}


def formulas_of(kind, has_fma):
    """In the words of reference/optim/formula_names.hpp. It has none for Adam's kernels on a GPU, so those are judged
    by self parity.
    """
    products = "fused" if has_fma else "rounded"
    sgd = {"moments": "lerp", "products": products}
    if kind == "cuda":
        return {"sgd": sgd, "adamw": OWN, "adam": OWN}
    adam = {**sgd, "bias_correction": "folded", "update": "product_first", "beta_powers": "current"}
    return {"sgd": sgd, "adamw": {**adam, "decay": "before"}, "adam": {**adam, "decay": "gradient"}}
