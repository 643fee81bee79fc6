// All kernels: those that the operations on a CUDA stream launch.
#include "impl/device/cuda_ops.hpp"

#include "impl/device/cuda_grid.cuh"
#include "impl/device/grid_ops.hpp"

namespace zerocts {

std::unique_ptr<Ops> MakeCudaOps(cudaStream_t stream, CudaLaunch launch) {
  return std::make_unique<GridOps<CudaGrid>>(CudaGrid(stream, launch == CudaLaunch::kWaits));
}

}  // namespace zerocts
