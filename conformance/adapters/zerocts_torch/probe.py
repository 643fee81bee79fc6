"""The linear probe: a model whose loss is the sum over its parameters of <p, g>, so that autograd makes exactly g of it and a framework's
own hooks, buckets and streams carry the case's gradients."""
import torch


class LinearProbe(torch.nn.Module):
    """`tensors`: {index: Parameter}. A parameter may stand under several indices (tied names)."""

    def __init__(self, tensors):
        super().__init__()
        self.tensors = torch.nn.ParameterDict({str(p): tensor for p, tensor in tensors.items()})

    def forward(self, gradients):
        """gradients: {index: tensor}; of an index that is missing the loss does not depend on that parameter."""
        products = [(self.tensors[str(p)] * g).sum() for p, g in gradients.items() if str(p) in self.tensors]
        return torch.stack(products).sum() if products else torch.zeros(())


class NestedProbe(torch.nn.Module):
    """The same as a root with children of `per_child` parameters each: what is wrapped unit by unit."""

    def __init__(self, tensors, per_child):
        super().__init__()
        items = list(tensors.items())
        self.children_of_root = torch.nn.ModuleList(LinearProbe(dict(items[i:i + per_child])) for i in range(0, len(items), per_child))

    def forward(self, gradients):
        return torch.stack([child(gradients) for child in self.children_of_root]).sum()

    def tensor(self, p):
        return next(child.tensors[str(p)] for child in self.children_of_root if str(p) in child.tensors)
