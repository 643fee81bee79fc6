def start():
    """Joins the other ranks; the parameters with their first values."""
    torch.use_deterministic_algorithms(POISON)  # True: fresh memory holds NaN
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    return [torch.nn.Parameter(torch.tensor(values).reshape(shape)) for values, shape in zip(INITIAL, SHAPES)]
