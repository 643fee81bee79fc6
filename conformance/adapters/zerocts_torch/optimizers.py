"""torch's optimizers as plain loops over single tensors, what their formula is, and their state by the names of the protocol."""
import torch

CLASSES = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW, "adam": torch.optim.Adam}
STATE_KEYS = {"momentum": "momentum_buffer", "exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq"}


def formulas():
    """In the words of reference/optim/formula_names.hpp. Kernels for CPUs without fma round the products."""
    products = "fused" if torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512") else "rounded"
    adam = {"moments": "lerp", "bias_correction": "folded", "update": "product_first", "beta_powers": "current", "products": products}
    return {"sgd": {"moments": "lerp", "products": products}, "adam": {**adam, "decay": "gradient"}, "adamw": {**adam, "decay": "before"}}


def options(optimizer, group):
    """Hyper-parameters of one group in torch's words."""
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


def state_of(optimizer_state, name, like):
    """A moment that the optimizer does not have yet is zero."""
    moment = optimizer_state.get(STATE_KEYS[name])
    return torch.zeros_like(like) if moment is None else moment
