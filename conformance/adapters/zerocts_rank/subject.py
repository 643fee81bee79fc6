"""What an author fills in."""

import dataclasses
import math

OK, INVALID_ARGUMENT, UNIMPLEMENTED, OUT_OF_MEMORY, DEADLINE_EXCEEDED, INTERNAL = range(6)  # of zerocts_subject.h


class Refused(Exception):
    """The subject returns an error: a code of zerocts_subject.h and a sentence."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclasses.dataclass
class StepResult:
    """The norm of the mean gradient before clipping; NaN: not computed. The factor that was applied to clip it."""

    grad_norm: float = math.nan
    clip_coefficient: float = 1.0


@dataclasses.dataclass
class Bytes:
    """What this rank holds, padding included."""

    parameter: int = 0
    gradient: int = 0
    optimizer: int = 0
    buffer: int = 0


@dataclasses.dataclass
class Moved:
    """By one kind of collective."""

    calls: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0


@dataclasses.dataclass
class Traffic:
    """What this rank moved since open; what stays on the rank is not counted."""

    reduce_scatter: Moved = dataclasses.field(default_factory=Moved)
    all_gather: Moved = dataclasses.field(default_factory=Moved)
    all_reduce: Moved = dataclasses.field(default_factory=Moved)
    broadcast: Moved = dataclasses.field(default_factory=Moved)

    def counts(self):
        """Twelve integers, in this order."""
        return [count for moved in dataclasses.astuple(self) for count in moved]


class Subject:
    """One rank of an implementation. Tensors are flat numpy arrays of float32; bfloat16 values are widened.

    A method that raises has refused: Refused says with which code; any other exception is an INTERNAL error.
    """

    name, version, description = "unnamed", "0", ""
    capabilities = {}  # as in zerocts_subject.h: what is declared must work, what is left out must be refused
    # memory() names all that grows with the parameters, which the kernel's count then proves. A framework that keeps
    # what nobody can name sets it False, and what it reports of memory is believed, and marked as self-reported.
    names_all_memory = True

    def open(self, case, initial, host):
        """Collective. Makes the engine for `case`; initial[p] are the first values of parameter p, read-only and gone
        after the call. Refuses what is not declared, and options that it does not know:
        refuse_undeclared(case, self.capabilities, host.options). What is wrong in later calls, Calls(case) refuses.
        """
        raise NotImplementedError

    def accumulate(self, step, micro_batch, gradients):
        """gradients[p] of one micro-batch of this rank, None where there is none; read-only and gone after the call. K
        times before each step. Refuses a wrong number of them or of calls, and one of what is frozen.

        Of subjects that declare "quadratic" in "losses": where case.curvature is not 0 they are the g of
        curved_gradient, and the gradient is what that makes of them and of the parameters with which the subject's
        forward and backward compute.
        """
        raise NotImplementedError

    def step(self, step):
        """Collective. Mean over all W * K micro-batches, clip, update. Returns a StepResult, or None when no norm was
        computed.
        """
        raise NotImplementedError

    def parameter(self, p):
        """Collective. All elements of parameter p as they are now."""
        raise NotImplementedError

    def owned(self, p):
        """The elements of p whose optimizer state this rank holds: [(begin, end), ..], ascending."""
        raise NotImplementedError

    def state(self, name, p, begin, end):
        """An owned interval of "master", "momentum", "exp_avg", "exp_avg_sq" or "gradient", of those that are
        declared.
        """
        raise Refused(UNIMPLEMENTED, f"state {name}")

    # What only some subjects have.

    def read_parameters(self, order):
        """Collective. Yields parameter(p) for each p of `order`; for subjects that gather many at once."""
        return map(self.parameter, order)

    def accumulate_batch(self, step, micro_batch, inputs, targets):
        """Replaces accumulate in subjects that declare "models": forward and backward of case.model over one
        micro-batch of this rank, int32 tokens [B, T] and their successors [B, targets per sequence]. Returns the mean
        loss. Its numbers need not be the reference's: declare "inexact_models", and they are judged by a derived bound.
        """
        raise Refused(UNIMPLEMENTED, "accumulate_batch")

    def set_group(self, group, values):
        """Hyper-parameters of a group from the next step on."""
        raise Refused(UNIMPLEMENTED, "set_group")

    def set_frozen(self, p, frozen):
        """From the next step on parameter p gets no gradient and is not updated, or is again."""
        raise Refused(UNIMPLEMENTED, "set_frozen")

    def save(self, folder):
        """Collective. Of subjects that declare "checkpoint": writes all that the following steps depend on into a
        folder that all ranks reach, empty
        before: parameters, buffers, states, step counts, hyper-parameters, what is frozen. Changes nothing."""
        raise Refused(UNIMPLEMENTED, "save")

    def load(self, folder):
        """Collective, right after open, whose initial values are others: takes everything to where it was saved. What
        was saved wins. Of subjects that declare "checkpoint_reshard": another number of ranks may have saved it.
        """
        raise Refused(UNIMPLEMENTED, "load")

    def memory(self):
        """Bytes held now."""
        raise Refused(UNIMPLEMENTED, "memory")

    def traffic(self):
        """A Traffic."""
        raise Refused(UNIMPLEMENTED, "traffic")

    def close(self):
        """Frees the engine; also after a call that failed, open included. Another open may follow."""

    def code_of(self, failed):
        """The status code of an exception that is not Refused, e.g. DEADLINE_EXCEEDED when a collective timed out."""
        return INTERNAL

    def is_of_another(self, failed):
        """Did another rank's end cause this exception? Then that rank is heard first."""
        return False

    def abandon(self):
        """After a call failed, when the conductor knows: ranks that wait for this one wait in vain, and may be told."""

    def shutdown(self):
        """Once, before the rank ends; a crash or a hang in it or behind it is a finding."""
