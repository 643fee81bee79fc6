"""Which elements are looked at, and a digest of all."""

import torch

MASK = 2**64 - 1
ROW = 4096  # words
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


def picks_of_step(step, numel, count):
    """Other positions in each step."""
    return picks(step * 1000003 + numel, numel, count)


def flat(tensor):
    tensor = tensor.detach()
    return tensor.view(-1) if tensor.is_contiguous() else tensor.reshape(-1)


def local_of(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def take(tensor, positions):
    """`positions`: a list, or the tensor of indices that `indices` made of it."""
    return torch.take(tensor.detach(), positions if torch.is_tensor(positions) else indices(positions, tensor.device))


def indices(positions, device):
    return torch.tensor(positions, dtype=torch.int64, device=device)


def digest(tensor):
    """Linear in the words of 64 bits, modulo 2^64: runs where the tensor is, at the speed of a copy."""
    words = flat(tensor)
    if words.numel() * words.element_size() % 8:
        words = torch.nn.functional.pad(words.view(torch.uint8), (0, -words.numel() * words.element_size() % 8))
    words = words.view(torch.int64)
    weights = WEIGHTS.to(words.device)
    whole = words.numel() // ROW * ROW
    total = torch.dot(words[whole:], weights[: words.numel() - whole])
    if whole:
        rows = torch.mv(words[:whole].view(-1, ROW), weights)
        total = total + torch.dot(rows, torch.arange(rows.numel(), device=rows.device) * 2654435761 + 1)
    return total.reshape(1)


def sum_of_squares(tensor):
    x = flat(local_of(tensor)).double()
    return torch.dot(x, x).reshape(1)
