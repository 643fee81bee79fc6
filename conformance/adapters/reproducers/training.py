def train(model, optimizer, parameters, param_groups, reducing):
    """param_groups: {group: its options in the optimizer}; reducing(is_last) is the context of one micro-batch's forward and backward. Returns the
    mean gradients of the last step, before they were clipped, and their norm."""
    mean, norm = [], None
    to_clip = dict.fromkeys(parameters)  # tied names are one
    for step, micro_batches in enumerate(GRADIENTS[dist.get_rank()]):
        for group in CHANGES.get(step, {}).keys() & param_groups.keys():
            param_groups[group].update(CHANGES[step][group])
        model.zero_grad()
        for k, gradients in enumerate(micro_batches):
            with reducing(k == len(micro_batches) - 1):
                (model(gradients) / len(micro_batches)).backward()
        mean = [None if parameter.grad is None else parameter.grad.clone() for parameter in parameters]
        if MAX_NORM:
            norm = torch.nn.utils.clip_grad_norm_(to_clip, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()
    return mean, norm
