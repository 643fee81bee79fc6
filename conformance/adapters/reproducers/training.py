def train(model, optimizer, parameters, kept, reducing, steps):
    """kept: the groups that the optimizer has, in its order; reducing(is_last) is the context of one micro-batch's forward and backward. Returns the
    mean gradients of the last step, before they were clipped, and their norm."""
    mean, norm = [], None
    to_clip = dict.fromkeys(parameters)  # tied names are one
    for step in steps:
        micro_batches = GRADIENTS[dist.get_rank()][step]
        for group in CHANGES.get(step, {}).keys() & set(kept):
            optimizer.param_groups[kept.index(group)].update(CHANGES[step][group])
# {freeze}
        model.zero_grad()
        for k, gradients in enumerate(micro_batches):
            with reducing(k == len(micro_batches) - 1):
                (model(gradients) / len(micro_batches)).backward()
        mean = [None if parameter.grad is None else parameter.grad.clone() for parameter in parameters]
        if MAX_NORM:
            norm = torch.nn.utils.clip_grad_norm_(to_clip, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()
    return mean, norm
