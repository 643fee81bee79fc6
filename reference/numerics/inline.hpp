// How a formula is shared by kernels that are compiled for different instruction sets.
#pragma once

// Always inlined and never emitted: an out-of-line copy compiled for a newer CPU could be the one that the linker keeps
// for everybody.
#define ZEROCTS_INLINE [[gnu::always_inline]] inline
