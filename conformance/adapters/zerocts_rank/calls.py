"""By it a subject refuses calls that are not as its case says: wrong numbers of micro-batches and of gradients. No host
does so for it.
"""

from .subject import INVALID_ARGUMENT, Refused


class Calls:
    """Made in open; each call of the subject tells it what it was given."""

    def __init__(self, case):
        self._case, self._micro_batches = case, 0

    def accumulate(self, step, micro_batch, gradients):
        """One gradient of each parameter, None for buffers and for what is frozen in this step."""
        self._refuse_wrong_gradients(step, gradients)
        self.micro_batch(micro_batch)

    def micro_batch(self, micro_batch):
        """0, 1, .., K - 1 before each step."""
        if micro_batch != self._micro_batches or micro_batch >= self._case.micro_batches:
            raise Refused(
                INVALID_ARGUMENT,
                f"expected {self._case.micro_batches} micro-batches a step, got micro-batch {micro_batch} after "
                f"{self._micro_batches} of them",
            )
        self._micro_batches += 1

    def step(self):
        """After all of them."""
        if self._micro_batches != self._case.micro_batches:
            raise Refused(
                INVALID_ARGUMENT,
                f"expected {self._case.micro_batches} micro-batches before a step, got {self._micro_batches}",
            )
        self._micro_batches = 0

    def _refuse_wrong_gradients(self, step, gradients):
        parameters = self._case.parameters
        if len(gradients) != len(parameters):
            raise Refused(
                INVALID_ARGUMENT, f"expected one gradient per parameter ({len(parameters)}), got {len(gradients)}"
            )
        for p, (parameter, gradient) in enumerate(zip(parameters, gradients)):
            if gradient is not None and (parameter.is_buffer or self._case.is_frozen(p, step)):
                kind = "a buffer" if parameter.is_buffer else "frozen"
                raise Refused(INVALID_ARGUMENT, f"parameter {p} ({parameter.name}) is {kind}: expected no gradient")
