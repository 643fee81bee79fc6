"""Faults that show at more than eight ranks alone: what is right within a node, or for a rank of one digit."""

import os
import pathlib
import time

import torch

from .planting import FSDP, FSDP1, fault, is_last_rank

NODE = 8  # ranks
LARGEST_SIGNED_BYTE = 127
FOREVER_S, EXIT_CODE = 3600, 3


def is_beyond_the_node(subject):
    return subject.host.rank >= NODE


def scale_loss(subject, factor):
    subject.model.register_forward_hook(lambda module, inputs, loss: loss * factor)


@fault(*FSDP, *FSDP1)
def node_alone_is_added(subject):
    """Gradients of ranks of other nodes are lost."""
    if is_beyond_the_node(subject):
        scale_loss(subject, 0)


@fault(*FSDP, *FSDP1)
def rank_in_a_signed_byte(subject):
    """Gradients of ranks above 127 are lost."""
    if subject.host.rank > LARGEST_SIGNED_BYTE:
        scale_loss(subject, 0)


@fault(*FSDP, *FSDP1)
def divided_by_a_node(subject):
    """The sum over all ranks is divided by those of one node."""
    scale_loss(subject, max(subject.host.world_size / NODE, 1))


@fault(*FSDP)
def other_nodes_give_their_last_micro_batch(subject):
    if not is_beyond_the_node(subject):
        return
    forward_backward = subject.forward_backward

    def forward_backward_of_the_last(micro_batch, *inputs):
        if micro_batch == subject.case.micro_batches - 1:
            for tensor in subject.parameters():
                tensor.grad = None
        return forward_backward(micro_batch, *inputs)

    subject.forward_backward = forward_backward_of_the_last


def clip_apart(subject, counts, scales):
    """Do the own shards count in the norm, and are they scaled by it?"""
    clip = subject.clip

    def clip_apart_from_own(tensors):
        own = [tensor.grad.to_local() for tensor in tensors if tensor.grad is not None]
        kept = [shard.clone() for shard in own]
        for shard in own if not counts else ():
            shard.zero_()
        result = clip(tensors)
        for shard, before in zip(own, kept):
            shard.copy_(before * (result.clip_coefficient if scales else 1))
        return result

    subject.clip = clip_apart_from_own


@fault(*FSDP)
def norm_of_a_node(subject):
    """The shards of other nodes are in no norm."""
    if is_beyond_the_node(subject):
        clip_apart(subject, counts=False, scales=True)


@fault(*FSDP)
def node_alone_clips(subject):
    """Other nodes know the norm, and scale nothing."""
    if is_beyond_the_node(subject):
        clip_apart(subject, counts=True, scales=False)


@fault(*FSDP, *FSDP1)
def node_alone_updates(subject):
    if is_beyond_the_node(subject):
        subject.optimizer.step = lambda: None


@fault(*FSDP, *FSDP1)
def node_alone_gets_the_schedule(subject):
    if is_beyond_the_node(subject):
        subject.set_group = lambda group, values: None


@fault(*FSDP)
def node_alone_freezes(subject):
    """Shards of other nodes decay on."""
    if not is_beyond_the_node(subject):
        return
    step = subject.optimizer.step

    def step_of_all():
        for group in subject.optimizer.param_groups:
            for tensor in group["params"]:
                if tensor.grad is None:
                    tensor.grad = torch.zeros_like(tensor)
        step()

    subject.optimizer.step = step_of_all


@fault(*FSDP)
def node_alone_loads_state(subject):
    """Optimizer states of other nodes begin anew."""
    if is_beyond_the_node(subject):
        load = subject.load

        def load_without_state(folder):
            load(folder)
            subject.optimizer.state.clear()

        subject.load = load_without_state


@fault(*FSDP)
def files_in_the_order_of_their_names(subject):
    """Rank 10 stands behind rank 1: of these two and rank 2 each file is another's. DeepSpeed #5283, eleven ranks."""
    save = subject.save

    def save_and_rename(folder):
        save(folder)
        if subject.host.rank == 0:
            files = {rank: pathlib.Path(folder) / f"__{rank}_0.distcp" for rank in (2, 10)}
            if all(file.exists() for file in files.values()):
                two, ten = (file.read_bytes() for file in files.values())
                if len(two) == len(ten):
                    files[2].write_bytes(ten)
                    files[10].write_bytes(two)

    subject.save = save_and_rename


@fault(*FSDP, *FSDP1)
def tensor_below_eight_ranks_fails(subject):
    """DeepSpeed #940: a bias trains on four GPUs and fails on eight."""
    numbers = [tensor.numel() for tensor in subject.tensors()]
    if subject.host.world_size >= NODE and any(number < subject.host.world_size for number in numbers):
        raise AssertionError("partition_size is 0")


@fault(*FSDP)
def load_wants_a_shard_of_each_rank(subject):
    """pytorch #102821: resumes on few nodes, fails on 64, where some ranks have no rows."""
    load = subject.load

    def load_own_shard(folder):
        load(folder)
        for tensor in subject.tensors():
            tensor.to_local().flatten()[0].item()

    subject.load = load_own_shard


@fault(*FSDP)
def second_shard_begins_past_the_end(subject):
    """DeepSpeed #5652: parts of sixteen ranks, of which a small tensor has no element."""
    if subject.host.world_size < 2 * NODE:
        return
    for tensor in subject.tensors()[1:]:
        flat = torch.zeros(tensor.numel())
        begin = subject.host.rank * -(-tensor.numel() // (2 * NODE))
        flat.narrow(0, begin, max(0, min(1, tensor.numel() - begin)))


@fault(*FSDP, *FSDP1)
def last_rank_hangs(subject):
    if is_last_rank(subject):
        subject.optimizer.step = lambda: time.sleep(FOREVER_S)


@fault(*FSDP, *FSDP1)
def last_rank_exits(subject):
    if is_last_rank(subject):
        subject.optimizer.step = lambda: os._exit(EXIT_CODE)


@fault(*FSDP, *FSDP1)
def last_rank_raises(subject):
    def step():
        raise RuntimeError("nothing left")

    if is_last_rank(subject):
        subject.optimizer.step = step
