class LinearProbe(torch.nn.Module):
    """The loss is the sum over the parameters of <p, g>, so backward gives each p exactly g, before anything is reduced."""

    def __init__(self, tensors):
        super().__init__()
        self.tensors = torch.nn.ParameterList(tensors)
# {anchor}

    def forward(self, gradients):
        products = [(p * torch.tensor(g).reshape(p.shape)).sum() for p, g in zip(self.tensors, gradients) if g is not None]
# {anchored}
        return torch.stack(products).sum() if products else torch.zeros(())
