"""What this rank is fed, as the conductor shipped it: frame 0 are the initial values, then one frame per
micro-batch.
"""

import numpy


def round_to_bfloat16(values):
    """The nearest bfloat16, ties to even, widened."""
    bits = values.view(numpy.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return numpy.where(numpy.isnan(values), numpy.float32(numpy.nan), rounded.astype(numpy.uint32).view(numpy.float32))


class Inputs:
    def __init__(self, case, without_gradient, frames):
        expected = 1 + case.steps * case.micro_batches
        if len(frames) != expected:
            raise ValueError(
                f"run: expected {expected} frames of inputs, got {len(frames)}; use client and conductor of one release"
            )
        self._case = case
        self._without = {tuple(position) for position in without_gradient}
        self._frames = frames

    def held_bytes(self):
        return sum(map(len, self._frames))

    def initial(self):
        """[parameters], each [numel] float32."""
        return self._cut(self._frames[0], lambda p: True)

    def other_initial(self):
        """1 - x / 2 for each of them: what is opened with before a load has none of the old values."""
        return [numpy.float32(1) - values / numpy.float32(2) for values in self.initial()]

    def gradients(self, step, micro_batch):
        """[parameters], each [numel] in the parameter's precision, or None."""
        gradients = self._cut(self._frame(step, micro_batch), lambda p: (step, micro_batch, p) not in self._without)
        return [
            round_to_bfloat16(g) if g is not None and self._case.parameters[p].precision == "bf16" else g
            for p, g in enumerate(gradients)
        ]

    def batch(self, step, micro_batch):
        """(inputs [B, T], targets [B, targets per sequence]), int32."""
        B, (sizes,) = self._case.batch, self._case.model.values()
        tokens = numpy.frombuffer(self._frame(step, micro_batch), "<i4")
        inputs = B * sizes["context"]
        if len(tokens) <= inputs or len(tokens) % B:
            raise ValueError(
                f"run: expected {inputs} tokens and equally many targets for each of {B} sequences in a frame of "
                f"inputs, got {len(tokens)} numbers"
            )
        return tokens[:inputs].reshape(B, -1).copy(), tokens[inputs:].reshape(B, -1).copy()

    def _frame(self, step, micro_batch):
        return self._frames[1 + step * self._case.micro_batches + micro_batch]

    def _cut(self, frame, is_there):
        values, begin, pieces = numpy.frombuffer(frame, "<f4"), 0, []
        for p, parameter in enumerate(self._case.parameters):
            if not is_there(p):
                pieces.append(None)
                continue
            pieces.append(
                values[begin : begin + parameter.numel].astype(numpy.float32)
            )  # a copy, to be poisoned after use
            begin += parameter.numel
        if begin != len(values):
            raise ValueError(f"run: expected {begin} values in a frame of inputs, got {len(values)}")
        return pieces
