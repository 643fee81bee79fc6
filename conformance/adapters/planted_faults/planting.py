"""Which faults there are, and for which subjects."""

DDP = ("torch-zero1", "fairscale-oss")
TENSORS = (*DDP, "fairscale-sharded-ddp")
REPLICATED = ("deepspeed-0",)
FSDP = ("torch-fsdp2", "torch-fsdp2-noreshard")
FSDP1 = ("torch-fsdp1",)
PLANTERS = {}  # (subject, fault): plants it into a subject that was just built


def fault(*subjects, name=None):
    def register(plant):
        PLANTERS.update({(subject, name or plant.__name__): plant for subject in subjects})
        return plant

    return register


def names_of(subject):
    return sorted(name for of, name in PLANTERS if of == subject)


def plant(subject, name):
    PLANTERS[subject.name, name](subject)


def is_last_rank(subject):
    return subject.host.rank == subject.host.world_size - 1
