// Calls of the CUDA runtime, and the sentence when one fails.
#pragma once
#include <cuda_runtime_api.h>

namespace zerocts::engine {

/// Throws std::runtime_error "device cuda: cudaMalloc: out of memory (cudaErrorMemoryAllocation)" unless `code` is
/// cudaSuccess. `call` is a literal.
void RequireCuda(cudaError_t code, const char* call);

}  // namespace zerocts::engine
