"""How the arithmetic of this thread is set: rounding, what becomes of subnormals. A subject that changes it computes
other bits than elsewhere.

The control register is read by the C library's own fegetenv, so no rank needs a compiler; where the layout of what it
writes is not known, the rounding direction is asked for and a subnormal is tried.
"""

import ctypes
import platform

import numpy

_ENVIRONMENT_BYTES = 256  # more than any fenv_t
_DEFAULT_ENVIRONMENT = ctypes.c_void_p(-1)  # FE_DFL_ENV of glibc and musl


class Mxcsr:
    """x86-64: the last word of fenv_t."""

    name, offset, default, status = "MXCSR", 28, 0x1F80, 0x3F

    @staticmethod
    def parts(before, after):
        changed = before ^ after
        for bit, what in ((0x8000, "flush-to-zero"), (0x0040, "denormals-are-zero")):
            if changed & bit:
                yield f"{what} {'on' if after & bit else 'off'}"
        if changed & 0x6000:
            yield "rounding " + ("to nearest", "downward", "upward", "toward zero")[(after & 0x6000) >> 13]
        if changed & 0x1F80:
            yield "other exceptions trap"


class Fpcr:
    """AArch64: the first word of fenv_t."""

    name, offset, default, status = "FPCR", 0, 0, 0

    @staticmethod
    def parts(before, after):
        changed = before ^ after
        if changed & (1 << 24):
            yield f"flush-to-zero {'on' if after & (1 << 24) else 'off'}"
        if changed & (3 << 22):
            yield "rounding " + ("to nearest", "upward", "downward", "toward zero")[(after >> 22) & 3]
        if changed & ~(7 << 22):
            yield "other bits"


class Tried:
    """Any other machine: the rounding direction, and in bit 31 whether a subnormal becomes zero."""

    name, default, status = "the arithmetic", None, 0

    @staticmethod
    def parts(before, after):
        if (before ^ after) & 0x7FFFFFFF:
            yield "another rounding direction"
        if (before ^ after) & 0x80000000:
            yield f"flush-to-zero {'on' if after & 0x80000000 else 'off'}"


def _flushes():
    half = numpy.array([0.5], numpy.float32)
    return float((numpy.array([2.0**-126], numpy.float32) * half)[0]) == 0.0


class Arithmetic:
    def __init__(self, machine=platform.machine()):
        program = ctypes.CDLL(None)
        self._c = program if hasattr(program, "fegetenv") else ctypes.CDLL("libm.so.6")
        self._register = {"x86_64": Mxcsr, "aarch64": Fpcr}.get(machine, Tried)

    def now(self):
        """The control bits; sticky exception flags are none."""
        if self._register is Tried:
            return self._c.fegetround() | (0x80000000 if _flushes() else 0)
        environment = ctypes.create_string_buffer(_ENVIRONMENT_BYTES)
        self._c.fegetenv(environment)
        offset = self._register.offset
        return int.from_bytes(environment[offset : offset + 4], "little") & ~self._register.status

    def restore(self, before):
        """What has changed since, undone: "MXCSR: flush-to-zero on (0x1f80 -> 0x9f80)"; "" when nothing has."""
        after = self.now()
        if after == before:
            return ""
        self._c.fesetenv(_DEFAULT_ENVIRONMENT)
        return (
            f"{self._register.name}: {', '.join(self._register.parts(before, after))} ({before:#06x} -> {after:#06x})"
        )

    @property
    def default(self):
        """What a thread begins with."""
        return self.now() if self._register.default is None else self._register.default
