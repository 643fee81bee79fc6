"""The probe: a model whose loss is the sum over its parameters of <p, g>, and of curvature / 2 <p, p>, so that autograd
makes exactly g + curvature * p of it: a framework's own hooks, buckets and streams carry the case's gradients, and what
it gathered shows in them.
"""

import torch

from zerocts_rank import curved_gradient


class CurvedLoss(torch.autograd.Function):
    """The loss of one parameter where it is quadratic, element by element. Its gradient is of the values that forward
    saw and of those that stand there when backward comes.
    """

    @staticmethod
    def forward(context, p, g, curvature):
        context.save_for_backward(p, g)
        context.curvature, context.seen = curvature, p.detach().float().clone()
        return p * g + curvature / 2 * (p * p) * (g != 0)

    @staticmethod
    def backward(context, of_loss):
        p, g = context.saved_tensors
        gradient = curved_gradient(g.float(), context.curvature, context.seen, p.detach().float())
        return of_loss * gradient.to(p.dtype), None, None


class Probe(torch.nn.Module):
    """`tensors`: {index: Parameter, or tensor of a buffer}. A parameter may stand under several indices (tied names).
    `curvature`: 0 where the loss is linear. `anchored`: the loss also depends, by nothing, on a parameter outside the
    case, for ranks meet in the hooks of parameters.
    """

    def __init__(self, tensors, curvature=0.0, anchored=False, device="cpu"):
        super().__init__()
        self.curvature = curvature
        self.device = device
        self.tensors = torch.nn.ParameterDict(
            {str(p): tensor for p, tensor in tensors.items() if isinstance(tensor, torch.nn.Parameter)}
        )
        for p, tensor in tensors.items():
            if str(p) not in self.tensors:
                self.register_buffer(f"buffer{p}", tensor)
        self.anchor = torch.nn.Parameter(torch.zeros(1, device=device)) if anchored else None

    def forward(self, gradients):
        """gradients: {index: tensor}; of an index that is missing the loss does not depend on that parameter."""
        products = [self._loss(self.tensors[str(p)], g) for p, g in gradients.items() if str(p) in self.tensors]
        if self.anchor is not None:
            products.append((self.anchor * 0).sum())
        return torch.stack(products).sum() if products else torch.zeros((), device=self.device)

    def _loss(self, p, g):
        return (CurvedLoss.apply(p, g, self.curvature) if self.curvature else p * g).sum()


class NestedProbe(torch.nn.Module):
    """The same as a root with children of `per_child` parameters each: what is wrapped unit by unit. Names of one
    storage are in one child.
    """

    def __init__(self, tensors, per_child, curvature=0.0, anchored=False, device="cpu"):
        super().__init__()
        children, home = [{}], {}
        for p, tensor in tensors.items():
            if id(tensor) not in home:
                if len(children[-1]) >= per_child:
                    children.append({})
                home[id(tensor)] = children[-1]
            home[id(tensor)][p] = tensor
        self.units = torch.nn.ModuleList(Probe(child, curvature, anchored, device) for child in children)

    def forward(self, gradients):
        return torch.stack([child(gradients) for child in self.units]).sum()

    def tensor(self, p):
        """Returns parameter or buffer p as it is now."""
        child = next(child for child in self.units if str(p) in child.tensors or hasattr(child, f"buffer{p}"))
        return child.tensors[str(p)] if str(p) in child.tensors else getattr(child, f"buffer{p}")
