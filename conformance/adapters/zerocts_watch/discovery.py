"""Which modules hold an optimizer's parameters, under which names, and what their leaves are."""

import gc

import torch

from zerocts_watch.places import Place

WRAPPERS = ("_fsdp_wrapped_module.", "_orig_mod.", "_checkpoint_wrapped_module.")


def parameters_of(optimizer):
    return [p for group in optimizer.param_groups for p in group["params"]]


def roots_of(parameters):
    """Modules without a parent that own one of the parameters."""
    modules = [o for o in gc.get_objects() if issubclass(type(o), torch.nn.Module)]
    children = {id(c) for m in modules for c in m._modules.values() if c is not None}
    ours = {id(p) for p in parameters}
    return [m for m in modules if id(m) not in children and any(id(p) in ours for p in m.parameters())]


def group_of(root):
    """Whose ranks average gradients: a group of DDP, FSDP1 or DeepSpeed's engine, or None."""
    if type(root).__name__ == "DeepSpeedEngine":
        return getattr(root, "data_parallel_group", None)
    return getattr(root, "process_group", None) if "DataParallel" in type(root).__name__ else None


def fsdp2_groups(module):
    state = module._get_fsdp_state() if hasattr(module, "_get_fsdp_state") else None
    groups = getattr(state, "_fsdp_param_groups", None) or [getattr(state, "_fsdp_param_group", None)]
    return [group for group in groups if group]


def named_places(root, mark, count):
    """(place, parameter) of all that train, named `mark` + name and numbered from `count`."""
    group = group_of(root)
    is_fsdp1 = group is not None and type(root).__name__ == "FullyShardedDataParallel"
    for name, parameter in root.named_parameters():
        if list(root._modules) == ["module"] and not is_fsdp1:  # DDP, DeepSpeed's engine
            name = name.removeprefix("module.")
        for wrapper in WRAPPERS:
            name = name.replace(wrapper, "")
        if parameter.requires_grad:
            yield Place(count, mark + name, parameter, root, group, is_fsdp1), parameter
            count += 1


def leaves_of(root, places):
    """(leaf, parameter): to what backward adds a gradient before any reduction. FSDP2's are unsharded parameters."""
    for parameter in root.parameters():
        if id(parameter) in places:
            yield parameter, parameter
    for module in root.modules():
        for group in fsdp2_groups(module):
            for sharded in group.fsdp_params:
                place = places.get(id(sharded.sharded_param))
                if place and getattr(group, "_reduce_dtype", None):
                    place.reduce_dtype = str(group._reduce_dtype)[6:]
                yield getattr(sharded, "_unsharded_param", None), sharded.sharded_param


def data_ranks(root):
    """The ranks among which batches differ, where the framework says so, or None."""
    if group_of(root) is not None:
        return torch.distributed.get_process_group_ranks(group_of(root))
    meshes = [group.mesh_info.mesh for module in root.modules() for group in fsdp2_groups(module)]
    return meshes[0].mesh.flatten().tolist() if meshes else None
