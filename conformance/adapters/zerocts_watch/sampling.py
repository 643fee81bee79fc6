"""Which elements are looked at, and a digest of all."""

import functools

import torch

from zerocts_watch import compiled

IS_COMPILED = compiled.load()
MASK = 2**64 - 1
ROW = 4096  # words
REMEMBERED = 256  # sets of positions: of the parameters of a step, most of which have a size in common
WEIGHTS = torch.randint(-(2**62), 2**62, (ROW,), dtype=torch.int64, generator=torch.Generator().manual_seed(1)) | 1


def picks(seed, numel, count):
    """The same positions on all ranks, ascending, the last one among them."""
    if numel <= count:
        return list(range(numel))
    chosen = {numel - 1}
    while len(chosen) < count:
        seed = (seed * 6364136223846793005 + 1442695040888963407) & MASK
        chosen.add((seed >> 33) % numel)
    return sorted(chosen)


@functools.lru_cache(maxsize=REMEMBERED)
def picks_of_step(step, numel, count):
    """Other positions in each step."""
    return tuple(picks(step * 1000003 + numel, numel, count))


@functools.lru_cache(maxsize=REMEMBERED)
def picks_of_two_steps(step, numel, count):
    """Half of them those that the step before had, too."""
    return tuple(sorted({*picks_of_step(step - 1, numel, count // 2), *picks_of_step(step, numel, count // 2)}))


@functools.lru_cache(maxsize=REMEMBERED)
def indices(positions, device):
    return torch.tensor(positions, dtype=torch.int64, device=device)


def flat(tensor):
    tensor = tensor.detach()
    return tensor.view(-1) if tensor.is_contiguous() else tensor.reshape(-1)


def local_of(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def take(tensor, positions):
    """`positions`: a list, or the tensor of indices that `indices` made of it."""
    if str(tensor.dtype).startswith("torch.float8"):  # torch.take has none
        tensor = tensor.view(torch.uint8)
    return torch.take(
        tensor.detach(), positions if torch.is_tensor(positions) else indices(tuple(positions), tensor.device)
    )


def take_all(tensors, positions, dtype):
    """The elements of each tensor at its indices, one behind the other, on the CPU."""
    if IS_COMPILED:
        return torch.ops.zerocts_watch.take(tensors, positions, dtype)
    if not tensors:
        return torch.empty(0, dtype=dtype)
    return torch.cat([take(t, p).to("cpu", dtype) for t, p in zip(tensors, positions)])


def digest(tensor):
    """Linear in the words of 64 bits, modulo 2^64: runs where the tensor is, at the speed of a copy."""
    words = flat(tensor)
    if words.numel() * words.element_size() % 8:
        words = torch.nn.functional.pad(words.view(torch.uint8), (0, -words.numel() * words.element_size() % 8))
    if words.storage_offset() * words.element_size() % 8:  # a view of words begins at one
        words = words.clone()
    words = words.view(torch.int64)
    weights = WEIGHTS.to(words.device)
    whole = words.numel() // ROW * ROW
    total = torch.dot(words[whole:], weights[: words.numel() - whole])
    if whole:
        rows = torch.mv(words[:whole].view(-1, ROW), weights)
        total = total + torch.dot(rows, torch.arange(rows.numel(), device=rows.device) * 2654435761 + 1)
    return total.reshape(1)


def are_compiled(tensors):
    return IS_COMPILED and all(t.device.type == "cpu" and t.is_contiguous() for t in tensors)


def digests(tensors):
    tensors = [local_of(t) for t in tensors]
    if are_compiled(tensors):
        return torch.ops.zerocts_watch.digests(tensors, WEIGHTS)
    return torch.cat([digest(t).cpu() for t in tensors]) if tensors else torch.empty(0, dtype=torch.int64)


def sum_of_squares(tensor):
    x = flat(tensor).double()
    return torch.dot(x, x).reshape(1)


def sums_of_squares(tensors):
    """The tensors are of floating-point numbers, the sums of doubles."""
    tensors = [local_of(t) for t in tensors]
    if are_compiled(tensors):
        return torch.ops.zerocts_watch.squares(tensors)
    return torch.cat([sum_of_squares(t).cpu() for t in tensors]) if tensors else torch.empty(0, dtype=torch.double)
