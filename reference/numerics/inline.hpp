// How a formula is shared by kernels that are compiled for different instruction sets.
#pragma once

// Always inlined and never emitted: the linker could keep an out-of-line copy that was compiled for a newer CPU.
#define ZEROCTS_INLINE [[gnu::always_inline]] inline
