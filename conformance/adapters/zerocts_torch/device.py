"""Where the tensors of a rank are, and what follows from it; all else in the adapters is the same on every device.
torch is not needed here.

Nothing here waits for a GPU: reading a tensor waits for its current stream, so what a framework leaves to another
stream is seen as it is."""

import dataclasses

from zerocts_rank import INVALID_ARGUMENT, Refused, variables

VARIABLE = "ZEROCTS_DEVICE"  # `zerocts check --device`; known before torch is imported, as a rank's options are not
BACKENDS = {"cpu": "gloo", "cuda": "nccl"}  # of torch.distributed
SHARE_A_GPU = "nccl_share_gpu"


def kind_of(asked):
    """A device that nobody knows is refused with the options, when somebody listens."""
    return asked if asked in BACKENDS else "cpu"


ASKED = variables.taken.get(VARIABLE)
KIND = kind_of(ASKED)
BACKEND = BACKENDS[KIND]


def options(kind):
    """{option: values}, of those that are about the device."""
    return {"device": list(BACKENDS), SHARE_A_GPU: ["on", "off"] if kind == "cuda" else ["off"]}


def capabilities(kind):
    """That follow from where tensors are. On GPUs NCCL's AVG and torch's division by a number multiply by a rounded
    reciprocal.
    """
    return {"device_memory": kind == "cuda", "inexact_mean": kind == "cuda"}


@dataclasses.dataclass(frozen=True)
class Machine:
    """What torch says of it."""

    cuda: str  # the release that torch was built for; None: for CPUs only
    gpus: int


@dataclasses.dataclass(frozen=True)
class RankDevice:
    kind: str
    local_rank: int  # on GPUs the number of this rank's

    @property
    def name(self):
        """torch's."""
        return f"cuda:{self.local_rank}" if self.on_gpu else self.kind

    @property
    def on_gpu(self):
        return self.kind == "cuda"


def rank_device(kind, rank, world_size, machine, given):
    """The device on which a rank runs, by its options `given`. Raises Refused."""
    if given.get("device", kind) != kind:
        raise refused(
            f"expected {VARIABLE}={given['device']} in the environment of the rank, got {ASKED}; "
            "let a launcher of this host start it"
        )
    if kind == "cpu":
        return RankDevice(kind, rank)
    if machine.cuda is None:
        raise refused(
            "expected a build of torch for CUDA, got one for CPUs alone; run the rank by a Python that has one"
        )
    if machine.gpus == 0:
        raise refused(
            "expected a GPU that torch can use, got none; see nvidia-smi and CUDA_VISIBLE_DEVICES, or leave "
            "--device out"
        )
    if world_size > machine.gpus and given.get(SHARE_A_GPU) != "on":
        raise refused(
            f"expected a GPU for each of {world_size} ranks, because NCCL refuses two of them on one, got "
            f"{machine.gpus}; choose fewer "
            f"--ranks, or --option {SHARE_A_GPU}=on, which is for tests of function and never for figures"
        )
    return RankDevice(kind, rank % machine.gpus)


def refused(sentence):
    return Refused(INVALID_ARGUMENT, f"device: {sentence}")


def nccl_variables(rank):
    """By which NCCL takes ranks on one GPU for hosts of their own; the engine's are the same
    (impl/comm/nccl/environment.cpp).
    """
    return {
        "NCCL_HOSTID": f"zerocts-rank-{rank}",
        "NCCL_NET": "Socket",
        "NCCL_SOCKET_IFNAME": "lo",
        "NCCL_IB_DISABLE": "1",
        "NCCL_MNNVL_ENABLE": "0",
        "NCCL_MAX_CTAS": "2",
        "NCCL_ALGO": "Ring",
        "NCCL_PROTO": "Simple",
        "NCCL_PAT_ENABLE": "0",
        "NCCL_NVLS_ENABLE": "0",
    }


def let_ranks_share_a_gpu(rank, environment):
    """Before the first communicator. What is set to something else already is refused."""
    for variable, value in nccl_variables(rank).items():
        if environment.setdefault(variable, value) != value:
            raise refused(
                f"expected {variable}={value} or nothing in the environment for {SHARE_A_GPU}=on, got "
                f"{environment[variable]}; unset it"
            )
