def norm_of(engine):
    return engine.get_global_grad_norm()


def whole(tensor):
    return tensor


def set_master(tensor, values):
    deepspeed.utils.safe_set_full_fp32_param(tensor, values)


def gradient_of(zero, mapping, tensor):
    if hasattr(zero, "bf16_groups"):  # BF16_Optimizer has all of it
        gradients = zip(zero.bf16_groups[mapping.param_group_index], zero.fp32_groups_gradients[mapping.param_group_index])
        return next((0, gradient) for other, gradient in gradients if other is tensor)
    return mapping.lp_fragment_address.start, mapping.get_lp_grad_fragment(tensor._index_in_param_group)


def held(engine, what, tensor):
    """(first element, elements) of it on this rank; None: the optimizer has none yet. safe_get_full_optimizer_state knows the first group only."""
    mapping, optimizer = tensor._hp_mapping, engine.optimizer.optimizer
    if mapping is None:
        return 0, None
    begin, (flat,) = mapping.lp_fragment_address.start, optimizer.param_groups[mapping.param_group_index]["params"]
    if what == "gradient":
        return gradient_of(engine.optimizer, mapping, tensor)
    part = flat if what == "master" else optimizer.state[flat].get(what)
    return begin, None if part is None else part.narrow(0, mapping.hp_fragment_address.start, mapping.hp_fragment_address.numel)
