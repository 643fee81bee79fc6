"""What a user's optimizer holds on this rank, found by looking into it."""

import torch

INNER, OWN_GROUPS = "its inner optimizer", "its param_groups"
OF_TORCH = ("param_groups", "state", "defaults")


def within(value):
    """What a container holds."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else []


def found_in(root, is_wanted, opens=within):
    """All that is wanted, each once, in and below `root`."""
    found, seen, rest = [], set(), [root]
    while rest:
        value = rest.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_wanted(value):
            found.append(value)
        rest += opens(value)
    return found


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def inner_optimizers(optimizer):
    """torch's optimizers in its attributes."""
    return found_in(list(vars(optimizer).values()), lambda value: isinstance(value, torch.optim.Optimizer))


def in_groups(optimizer):
    return [tensor for group in optimizer.param_groups for tensor in group["params"]]


def own_part(value, rank, world_size):
    """This rank's, of an attribute that is {parameter: rank}, has parts by rank, or has this rank's alone."""
    if isinstance(value, dict) and value and all(map(is_tensor, value)):
        return [tensor for tensor, owner in value.items() if not isinstance(owner, int) or owner == rank]
    by_rank = isinstance(value, (list, tuple)) and len(value) == world_size and not any(map(is_tensor, value))
    if by_rank or isinstance(value, dict) and list(value) == list(range(world_size)):
        value = value[rank]
    return found_in(value, is_tensor)


def held(optimizer, place, rank, world_size):
    """The parameters that this rank updates, by where it is seen."""
    if place == INNER:
        return [tensor for inner in inner_optimizers(optimizer) for tensor in in_groups(inner)]
    return in_groups(optimizer) if place == OWN_GROUPS else own_part(vars(optimizer)[place], rank, world_size)


def places(optimizer):
    return [INNER, OWN_GROUPS, *(name for name in vars(optimizer) if name not in OF_TORCH)]


def state_of(optimizer, tensor):
    """torch's state of one parameter."""
    for holder in [*inner_optimizers(optimizer), optimizer]:
        if state := getattr(holder, "state", {}).get(tensor):
            return state
    return {}


def tensors_below(*roots):
    """All that objects keep in attributes and containers."""
    opened = (torch.optim.Optimizer, torch.nn.Module)
    own = {type(root).__module__ for root in roots}

    def opens(value):
        is_object = isinstance(value, opened) or type(value).__module__ in own
        return [vars(value)] if is_object and hasattr(value, "__dict__") else within(value)

    return found_in(list(roots), is_tensor, opens)
