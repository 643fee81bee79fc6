// All kernels: those that the operations on a CUDA stream launch.
#include "impl/device/cuda/ops.hpp"

#include "impl/device/cublas/ops.hpp"
#include "impl/device/cuda/grid.cuh"
#include "impl/device/grid_ops.hpp"

namespace zerocts::engine {

std::unique_ptr<Ops> MakeCudaOps(cudaStream_t stream, CudaLaunch launch) {
  return std::make_unique<GridOps<CudaGrid>>(CudaGrid(stream, launch == CudaLaunch::kWaits));
}

namespace {

/// A handle with the memory that it works in.
struct CublasOnStream {
  explicit CublasOnStream(cudaStream_t stream) : handle(CublasLibrary::OfThisProcess(), stream, workspace.memory) {}

  struct Workspace {
    Workspace() { RequireCuda(cudaMalloc(&memory, CublasHandle::kWorkspaceBytes), "cudaMalloc"); }
    ~Workspace() { cudaFree(memory); }
    void* memory = nullptr;
  };
  const Workspace workspace;
  const CublasHandle handle;
};

}  // namespace

std::unique_ptr<Ops> MakeFastCudaOps(cudaStream_t stream, Math math) {
  const auto on_stream = std::make_shared<const CublasOnStream>(stream);
  const std::shared_ptr<const CublasHandle> handle(on_stream, &on_stream->handle);
  const cublas::ComputeType of_fp32 = math == Math::kTf32 ? cublas::kInTf32 : cublas::kInFp32;
  return std::make_unique<CublasOps<CudaGrid>>(CudaGrid(stream, false), handle, of_fp32);
}

}  // namespace zerocts::engine
