// The operations of reference/ops on a CUDA stream, as kernels.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>

#include "impl/device/device.hpp"

namespace zerocts::engine {

enum class CudaLaunch {
  kReturns,  // calls return when their kernels are launched
  kWaits,    // calls return when they have happened
};

/// Operations with the bits of the host. Pointers are memory of the current GPU (or pinned memory of the host). Calls
/// throw std::runtime_error with the CUDA call that failed; a kernel's own failure comes with a later call.
std::unique_ptr<Ops> MakeCudaOps(cudaStream_t stream, CudaLaunch launch);

/// The same but for matrix products, which are cuBLAS's (impl/device/cublas/ops.hpp); kReturns. Throws Unimplemented
/// when there is no cuBLAS.
std::unique_ptr<Ops> MakeFastCudaOps(cudaStream_t stream, Math math);

}  // namespace zerocts::engine
