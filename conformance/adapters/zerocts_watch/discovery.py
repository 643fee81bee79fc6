"""Which modules hold an optimizer's parameters, under which names, and what their leaves are."""

import gc

import torch
from zerocts_watch import partitions

WRAPPERS = ("_fsdp_wrapped_module.", "_orig_mod.", "_checkpoint_wrapped_module.")


def parameters_of(optimizer):
    """Those of the model, where DeepSpeed's optimizer steps copies of them."""
    if not isinstance(optimizer, torch.optim.Optimizer):
        return partitions.parameters_of(optimizer)
    return [p for group in optimizer.param_groups for p in group["params"]]


def group_of(root):
    """Whose ranks average gradients: a group of DDP, FSDP1 or DeepSpeed's engine, or None."""
    if partitions.is_engine(root):
        return getattr(root, "data_parallel_group", None)
    return getattr(root, "process_group", None) if "DataParallel" in type(root).__name__ else None


def fsdp2_groups(root):
    """Those of all its modules."""
    states = [module._get_fsdp_state() for module in root.modules() if hasattr(module, "_get_fsdp_state")]
    groups = [getattr(s, "_fsdp_param_groups", None) or [getattr(s, "_fsdp_param_group", None)] for s in states]
    return [group for of_module in groups for group in of_module if group]


def owned_parameters(root):
    """[(name, parameter)], with those that an optimizer holds where FSDP2 has put unsharded ones in their places."""
    parameters = [p for group in fsdp2_groups(root) for p in group.fsdp_params]
    sharded = {id(getattr(p, "_unsharded_param", None)): p.sharded_param for p in parameters}
    return [(name, sharded.get(id(parameter), parameter)) for name, parameter in root.named_parameters()]


def roots_of(parameters, optimizers=()):
    """Modules without a parent that own one of the parameters, or whose copies one of the optimizers steps."""
    modules = [o for o in gc.get_objects() if issubclass(type(o), torch.nn.Module)]
    children = {id(c) for m in modules for c in m._modules.values() if c is not None}
    ours, stepping = {id(p) for p in parameters}, {id(o) for o in optimizers}
    return [
        m
        for m in modules
        if id(m) not in children
        and (
            any(id(p) in ours for _, p in owned_parameters(m))
            or id(getattr(partitions.stepper_of(m), "optimizer", None)) in stepping
        )
    ]


def is_fsdp1(root):
    return group_of(root) is not None and type(root).__name__ == "FullyShardedDataParallel"


def named_parameters(root):
    """(name, parameter) of all that train, without what wrappers add to names."""
    is_wrapper = [name for name, _ in root.named_children()] == ["module"] and not is_fsdp1(root)
    for name, parameter in owned_parameters(root):
        if is_wrapper:  # DDP, DeepSpeed's engine
            name = name.removeprefix("module.")
        for wrapper in WRAPPERS:
            name = name.replace(wrapper, "")
        if parameter.requires_grad:
            yield name, parameter


def leaves_of(root, places):
    """(leaf, parameter): to what backward adds a gradient before any reduction. FSDP2's are unsharded parameters."""
    for _, parameter in owned_parameters(root):
        if id(parameter) in places:
            yield parameter, parameter
    for group in fsdp2_groups(root):
        for sharded in group.fsdp_params:
            place = places.get(id(sharded.sharded_param))
            if place and getattr(group, "_reduce_dtype", None):
                place.reduce_dtype = str(group._reduce_dtype)[6:]
            yield getattr(sharded, "_unsharded_param", None), sharded.sharded_param


def data_ranks(root):
    """The ranks that average gradients, whose batches differ, where the framework says so, or None."""
    if getattr(root, "_inter_node_pg", None) is not None:  # FSDP1's hybrid shard
        mesh = getattr(root, "_device_mesh", None)
        return list(range(torch.distributed.get_world_size())) if mesh is None else mesh.mesh.flatten().tolist()
    if group_of(root) is not None:
        return torch.distributed.get_process_group_ranks(group_of(root))
    groups = fsdp2_groups(root)
    return groups[0].mesh_info.mesh.mesh.flatten().tolist() if groups else None
