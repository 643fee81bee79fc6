"""Files that want to harm who reads them. A case is a function that writes one into a folder and returns the path to
read; its docstring is a part of the sentence that the reader must say.
"""

from pickles import torch_save

CASES = []
CANARY = "canary"


def case(function):
    CASES.append(function)
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
