// The operations of reference/ops on a CUDA stream, as kernels.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>

#include "reference/ops/ops.hpp"

namespace zerocts {

enum class CudaLaunch {
  kReturns,  // calls return when their kernels are launched
  kWaits,    // calls return when they have happened
};

/// Pointers are memory of the current GPU (or pinned memory of the host). Calls throw std::runtime_error with the CUDA
/// call that failed; a kernel's own failure comes with a later call.
std::unique_ptr<Ops> MakeCudaOps(cudaStream_t stream, CudaLaunch launch);

}  // namespace zerocts
