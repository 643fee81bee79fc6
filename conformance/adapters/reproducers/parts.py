"""Parts of several templates; a template with a part of the same name has its own."""

# --- linear_probe
class LinearProbe(torch.nn.Module):
    """The loss is the sum over the parameters of <p, g>, so backward gives each p exactly g, before anything is reduced."""

    def __init__(self, tensors):
        super().__init__()
        self.tensors = torch.nn.ParameterList(tensors)
        self.anchor = torch.nn.Parameter(torch.zeros(1))  # of a loss that depends on nothing else  # {only: frozen}

    def forward(self, gradients):
        products = [(p * torch.tensor(g).reshape(p.shape)).sum() for p, g in zip(self.tensors, gradients) if g is not None]
        products.append((self.anchor * 0).sum())  # {only: frozen}
        return torch.stack(products).sum() if products else torch.zeros(())

# --- comparison
def compare(got_of):
    """Bit for bit; NaN is NaN. got_of(what, p) is a tensor, the same call on every rank; None: the optimizer has no such state yet, it is zero."""
    torch.set_printoptions(precision=9, linewidth=120)
    rank, failed = dist.get_rank(), False
    for (what, p), values in EXPECTED.items():
        expected, got = torch.tensor(values), got_of(what, p)
        got = torch.zeros_like(expected) if got is None else got.detach().reshape(-1)
        differs = (got.view(torch.int32) != expected.view(torch.int32)) & ~(got.isnan() & expected.isnan())
        if rank in RANKS and differs.any():
            failed = True
            print(f"rank {rank}: {what} of parameter {p}: {int(differs.sum())} of {len(values)} elements differ\n"
                  f"  expected {expected}\n  got      {got}", flush=True)
    if rank in RANKS and not failed:
        print(f"rank {rank}: as expected", flush=True)
    leave(failed)


def leave(failed):
    dist.barrier()  # all have said what they saw before torchrun ends them
    dist.destroy_process_group()
    os._exit(failed)  # one in some thirty exits of Python is a SIGABRT: a thread of torch's is still there

# --- start
def start():
    """Joins the other ranks."""
    torch.Tensor.sqrt = lambda x: torch.sqrt(x.double()).to(x.dtype)  # MKL's of fp32 is not always the nearest float
    torch.use_deterministic_algorithms(POISON)  # True: fresh memory holds NaN
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))


def first_values(fresh=False):
    """The parameters; fresh: with other values, before a checkpoint is loaded."""
    tensors = [torch.tensor(values).reshape(shape) for values, shape in zip(INITIAL, SHAPES)]
    return [torch.nn.Parameter(1 - tensor / 2 if fresh else tensor) for tensor in tensors]

# --- training
def train(model, optimizer, parameters, kept, reducing, steps):
    """kept: the groups that the optimizer has, in its order; reducing(is_last) is the context of one micro-batch's forward and backward. Returns the
    mean gradients of the last step, before they were clipped, and their norm."""
    mean, norm = [], None
    to_clip = dict.fromkeys(parameters)  # tied names are one
    for step in steps:
        micro_batches = GRADIENTS[dist.get_rank()][step]
        for group in CHANGES.get(step, {}).keys() & set(kept):
            optimizer.param_groups[kept.index(group)].update(CHANGES[step][group])
        freeze(parameters, step)  # {only: frozen}
        model.zero_grad()
        for k, gradients in enumerate(micro_batches):
            with reducing(k == len(micro_batches) - 1):
                (model(gradients) / len(micro_batches)).backward()
        mean = [None if parameter.grad is None else parameter.grad.clone() for parameter in parameters]
        if MAX_NORM:
            norm = torch.nn.utils.clip_grad_norm_(to_clip, MAX_NORM, NORM_TYPE, foreach=False)
        optimizer.step()
    return mean, norm

# --- common_folder
def common_folder():
    """One for all ranks."""
    names = [tempfile.mkdtemp() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(names, src=0)
    return names[0]

# --- lasting_folder
def common_folder():
    """For the ranks that save and those that load, which are not there at the same time."""
    folder = Path(__file__).with_suffix(".checkpoint")
    folder.mkdir(exist_ok=True)
    return str(folder)

# --- damage
def damage(folder):
    """One file of a checkpoint; scripts that lie beside it are not of it."""
    dist.barrier()
    if dist.get_rank() == 0:
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file() and path.stat().st_size and path.suffix != ".py")
        file = files[DAMAGED % len(files)]
        if IS_MISSING:
            file.unlink()
        else:
            with file.open("r+b") as opened:
                opened.truncate(file.stat().st_size // 2)
        print(f"{file.name} is {'missing' if IS_MISSING else 'cut'}", flush=True)
    dist.barrier()


def expect_refusal(load, folder):
    """Calls load(), which must raise on every rank. Ends the program."""
    rank, refused, said = dist.get_rank(), False, dist.FileStore(f"{folder}/said", dist.get_world_size())
    try:
        load()
        print(f"rank {rank}: loaded what is not whole", flush=True)
    except BaseException as error:  # as CheckpointException is
        refused = True
        print(f"rank {rank}: refused, as expected: {type(error).__name__}: {error}", flush=True)
    said.set(str(rank), "")
    said.wait([str(other) for other in range(dist.get_world_size())], datetime.timedelta(seconds=60))  # who ends first would disturb the others
    os._exit(not refused)

# --- saved
def saved(model, optimizer):
    """The folder."""
    folder = common_folder()
    optimizer.consolidate_state_dict(0)
    if dist.get_rank() == 0:
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, f"{folder}/checkpoint.pt")
    dist.barrier()
    return folder

# --- loaded
def loaded(folder):
    """A model and an optimizer made anew, with other values, into which the checkpoint is loaded."""
    model, optimizer, parameters = build(first_values(fresh=True))

    def load():
        checkpoint = torch.load(f"{folder}/checkpoint.pt")
        model.module.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])

    load()  # {only: whole}
    damage(folder)  # {only: damaged}
    expect_refusal(load, folder)  # {only: damaged}
    return model, optimizer, parameters

# --- between_legs
        if (begin == 0) != (dist.get_world_size() == SAVERS):  # {only: load}
            continue  # the other ranks train there  # {only: load}
        if begin > 0:  # {only: load resume save_only}
            model, optimizer, parameters = loaded(common_folder())  # {only: load}
            model, optimizer, parameters = loaded(saved(model, optimizer))  # {only: resume}
            saved(model, optimizer)  # {only: save_only}

# --- leaving
    if dist.get_world_size() == SAVERS:  # {only: load}
        saved(model, optimizer)  # {only: load}
        print(f"rank {dist.get_rank()}: saved", flush=True)  # {only: load}
        leave(failed=False)  # {only: load}
