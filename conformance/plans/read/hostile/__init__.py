"""Files that want to harm who reads them."""

from pickles import torch_save

CASES = {}  # by name: a part of what the reader must say, and what writes the file (folder -> path to read)
CANARY = "canary"


def case(function):
    """One that takes several lines; the docstring is what the reader must say."""
    CASES[function.__name__] = (function.__doc__, function)
    return function


def touch(folder):
    """What a shell would run."""
    return f"touch {folder / CANARY}"


def dcp(folder, data):
    (folder / ".metadata").write_bytes(data)
    return folder


def rank_file(folder):
    return folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt"


def deepspeed(folder, data):
    torch_save(rank_file(folder), None, data=data)
    return folder
