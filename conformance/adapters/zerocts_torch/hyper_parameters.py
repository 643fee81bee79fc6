"""A case's optimizer in torch's words: names and numbers, for which torch itself is not needed."""

CLASS_NAMES = {"sgd": "SGD", "adamw": "AdamW", "adam": "Adam"}  # in torch.optim
STATE_KEYS = {"momentum": "momentum_buffer", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}
NORM_TYPES = {"2": 2.0, "1": 1.0, "inf": float("inf")}  # of clip_grad_norm_


def options(optimizer, group):
    """Hyper-parameters of one group."""
    common = {"lr": group.lr, "weight_decay": group.weight_decay}
    if optimizer == "sgd":
        return {**common, "momentum": group.momentum, "dampening": group.dampening, "nesterov": group.nesterov}
    return {**common, "betas": (group.beta1, group.beta2), "eps": group.eps}


def parameter_groups(case, tensors):
    """The groups of the case, an empty one too, with the parameters that have state."""
    return [{"params": [tensors[p] for p, parameter in enumerate(case.parameters) if parameter.group == g and case.has_state(p)],
             **options(case.optimizer, values)} for g, values in enumerate(case.groups)]


def defaults(case):
    """foreach and fused kernels have other bits."""
    return {"foreach": False, "lr": case.groups[0].lr, **({"fused": False} if case.optimizer != "sgd" else {})}
