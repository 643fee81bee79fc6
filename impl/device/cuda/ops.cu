// All kernels: those that the operations on a CUDA stream launch.
#include "impl/device/cuda/ops.hpp"

#include <cuda_runtime.h>

#include <cstdint>

#include "impl/device/cublas/ops.hpp"
#include "impl/device/cuda/calls.hpp"
#include "impl/device/grid_ops.hpp"
#include "impl/device/map_group.hpp"

namespace zerocts::engine {

/// The threads of a block (team.hpp).
class CudaTeam {
 public:
  template <typename T>
  class Private {
   public:
    __device__ __forceinline__ T& operator[](int) { return value_; }

   private:
    T value_;
  };

  template <typename Part>
  __device__ __forceinline__ void Each(const Part& part) const {
    part(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  __device__ __forceinline__ void AtomicAdd(uint64_t* word, uint64_t n) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(n));
  }
  __device__ __forceinline__ void AtomicMax(uint32_t* word, uint32_t n) const { atomicMax(word, n); }
};

template <typename Body>
__global__ void ForEachKernel(const __grid_constant__ Body body, int64_t numel) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < numel) body(i);
}

inline constexpr int64_t kMapThreads = 256, kMapBlock = kMapThreads * bodies::kGroup;

template <typename Out, typename Body>
__global__ void MapKernel(Out* out, const __grid_constant__ Body body, int64_t numel) {
  bodies::MapGroup(out, body, {int64_t{blockIdx.x} * kMapBlock + threadIdx.x, kMapThreads}, numel);
}

/// Teams of a body that a processor must have registers for at once.
template <typename Body>
constexpr int TeamsTogether() {
  if constexpr (requires { Body::kTeamsTogether; }) return Body::kTeamsTogether;
  return 1;
}

template <typename Body>
__global__ void __launch_bounds__(Body::kThreads, TeamsTogether<Body>()) TeamKernel(const __grid_constant__ Body body) {
  __shared__ typename Body::Room room;
  body(CudaTeam(), static_cast<int64_t>(blockIdx.x), room);
}

/// A Grid (grid_elementwise_ops.hpp) that is a CUDA stream: a kernel per body.
class CudaGrid {
 public:
  /// `waits`: every call returns when it has happened.
  CudaGrid(cudaStream_t stream, bool waits) : stream_(stream), waits_(waits) {}

  template <typename Body>
  void ForEach(int64_t numel, const Body& body) {
    constexpr int64_t kThreads = 256;
    if (numel <= 0) return;
    ForEachKernel<<<BlocksOf((numel + kThreads - 1) / kThreads), kThreads, 0, stream_>>>(body, numel);
    Launched();
  }

  template <typename Out, typename Body>
  void Map(Out* out, int64_t numel, const Body& body) {
    if (numel <= 0) return;
    MapKernel<<<BlocksOf((numel + kMapBlock - 1) / kMapBlock), kMapThreads, 0, stream_>>>(out, body, numel);
    Launched();
  }

  template <typename Body>
  void Teams(int64_t count, const Body& body) {
    if (count <= 0) return;
    TeamKernel<<<BlocksOf(count), Body::kThreads, 0, stream_>>>(body);
    Launched();
  }

  void Copy(void* out, const void* in, int64_t bytes) {
    if (bytes <= 0) return;
    RequireCuda(cudaMemcpyAsync(out, in, static_cast<size_t>(bytes), cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
    Launched();
  }

  /// From the stream's own pool: it is free again, for what is enqueued later, when `this` ends.
  class Scratch {
   public:
    Scratch(CudaGrid& grid, int64_t numel) : stream_(grid.stream_) {
      RequireCuda(cudaMallocAsync(&values_, static_cast<size_t>(numel) * sizeof(float), stream_), "cudaMallocAsync");
    }
    ~Scratch() { cudaFreeAsync(values_, stream_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    float* values() { return static_cast<float*>(values_); }

   private:
    const cudaStream_t stream_;
    void* values_ = nullptr;
  };

 private:
  /// Throws where there are more blocks than a kernel can have.
  static unsigned BlocksOf(int64_t count) {
    RequireCuda(count > INT32_MAX ? cudaErrorInvalidConfiguration : cudaSuccess, "a kernel of more than 2^31 blocks");
    return static_cast<unsigned>(count);
  }

  void Launched() {
    RequireCuda(cudaGetLastError(), "the launch of a kernel");
    if (waits_) RequireCuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  cudaStream_t stream_;
  bool waits_;
};

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
