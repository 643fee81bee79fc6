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
