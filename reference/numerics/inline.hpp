// How a formula is shared by kernels that are compiled for different instruction sets, and by those of CUDA.
#pragma once

#ifdef __CUDACC__
#define ZEROCTS_INLINE __host__ __device__ __forceinline__
#else
// Always inlined and never emitted: the linker could keep an out-of-line copy that was compiled for a newer CPU.
#define ZEROCTS_INLINE [[gnu::always_inline]] inline
#endif
