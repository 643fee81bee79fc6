def norm_of(engine):
    return engine.get_global_grad_norm()


def whole(tensor):
    with deepspeed.zero.GatheredParameters([tensor]):
        return tensor.detach().clone()


def set_master(tensor, values):
    begin, part = dist.get_rank() * tensor.ds_tensor.ds_numel, torch.zeros(tensor.ds_tensor.ds_numel)
    mine = values.flatten()[begin:begin + part.numel()]
    part[:mine.numel()] = mine
    deepspeed.utils.safe_set_local_fp32_param(tensor, part)


def held(engine, what, tensor):
    """(first element, elements) of it on this rank; None: the optimizer has none yet."""
    parts = {"master": deepspeed.utils.safe_get_local_fp32_param, "gradient": deepspeed.utils.safe_get_local_grad}
    begin = min(dist.get_rank() * tensor.ds_tensor.ds_numel, tensor.ds_numel)
    try:
        part = parts[what](tensor) if what in parts else deepspeed.utils.safe_get_local_optimizer_state(tensor, what)
    except KeyError:
        return begin, None
    return begin, part[:tensor.ds_numel - begin]
