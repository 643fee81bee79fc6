def start():
    """Joins the other ranks."""
    torch.Tensor.sqrt = lambda x: torch.sqrt(x.double()).to(x.dtype)  # MKL's of fp32 is not always the nearest float
    torch.use_deterministic_algorithms(POISON)  # True: fresh memory holds NaN
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))


def first_values(fresh=False):
    """The parameters; fresh: with other values, before a checkpoint is loaded."""
    tensors = [torch.tensor(values).reshape(shape) for values, shape in zip(INITIAL, SHAPES)]
    return [torch.nn.Parameter(1 - tensor / 2 if fresh else tensor) for tensor in tensors]
