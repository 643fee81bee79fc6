"""What a fault may change in train.py."""


class Fault:
    """None: what train.py does by itself."""

    def before_wrap(self, model):
        return model

    def optimizer(self, optimizer, model):
        return optimizer

    def state_of(self, rank):
        """Whose optimizer state a rank loads."""
        return rank

    def loaded(self, state):
        """What it makes of that of a parameter."""
        return state

    def data_rank(self, rank):
        return rank

    def sync(self, model, context):
        return context

    def data(self, generator, step):
        """The generator of tokens, at the begin of a step."""
        return generator

    def keep(self, loss):
        pass

    def after_backward(self, model, optimizer, step, micro):
        pass

    def clips(self, rank):
        return True

    def max_norm(self, max_norm, rank):
        return max_norm

    def before_step(self, model, optimizer, step, rank):
        pass

    def skips(self, step, rank):
        return False

    def after_step(self, model, optimizer, step, rank):
        pass


def local_of(tensor):
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor
