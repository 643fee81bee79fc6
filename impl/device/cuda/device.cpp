// A GPU as a device.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "impl/device/cuda/calls.hpp"
#include "impl/device/cuda/memory.hpp"
#include "impl/device/cuda/stream.hpp"
#include "impl/device/device.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

/// The number of the GPU that is asked for. Throws Unimplemented unless this machine has it.
int RequireGpu(const DeviceSettings& settings) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    throw Unimplemented(
        fmt::format("device cuda: no GPU on this machine (cudaGetDeviceCount: {})", cudaGetErrorString(code)));
  }
  const int gpu = settings.gpu == DeviceSettings::kGpuOfRank ? settings.rank % std::max(count, 1) : settings.gpu;
  if (gpu < 0 || gpu >= count) {
    throw Unimplemented(fmt::format("device cuda: GPU {} was asked for, but this process sees {}", gpu, count));
  }
  return gpu;
}

/// Every call may come from another thread of the host, whose current GPU is another one.
class CudaDevice : public Device {
 public:
  CudaDevice(MemorySource& memory, const DeviceSettings& settings)
      : gpu_(RequireGpu(settings)), math_(settings.math), memory_(memory, settings.capacity_bytes) {
    BecomeCurrent();
    KeepScratchOfCuda();
  }
  std::string name() const override { return "cuda"; }
  bool host_can_reach() const override { return false; }

  void* Allocate(int64_t bytes, MemoryKind kind) override {
    BecomeCurrent();
    return memory_.Allocate(bytes, kind, CudaMemory::Location::kDevice);
  }
  void Free(void* memory) override { Release(memory); }
  void* AllocateActivations(int64_t bytes) override {
    BecomeCurrent();
    return memory_.Allocate(bytes, std::nullopt, CudaMemory::Location::kDevice);
  }
  void FreeActivations(void* memory) override { Release(memory); }
  void Poison(void* memory, int64_t bytes) override {
    BecomeCurrent();
    PoisonCudaMemory(memory, bytes);
  }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override {
    BecomeCurrent();
    return memory_.Allocate(bytes, kind, CudaMemory::Location::kPinnedHost);
  }
  void FreeHost(void* memory) override { Release(memory); }

  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override {
    BecomeCurrent();
    return std::make_unique<CudaStream>(gpu_, role, math_);
  }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    Copy(device, host, bytes, cudaMemcpyHostToDevice, stream);
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    Copy(host, device, bytes, cudaMemcpyDeviceToHost, stream);
  }

 private:
  void Release(void* memory) {
    cudaSetDevice(gpu_);  // whose work is waited for; destructors come here
    memory_.Free(memory);
  }
  void BecomeCurrent() const { RequireCuda(cudaSetDevice(gpu_), "cudaSetDevice"); }

  static void Copy(void* out, const void* in, int64_t bytes, cudaMemcpyKind kind, DeviceStream& stream) {
    if (bytes <= 0) return;
    dynamic_cast<CudaStream&>(stream.underlying()).Launch([=](cudaStream_t cuda_stream) {
      RequireCuda(cudaMemcpyAsync(out, in, static_cast<size_t>(bytes), kind, cuda_stream), "cudaMemcpyAsync");
    });
  }

  const int gpu_;
  const Math math_;
  CudaMemory memory_;
};

}  // namespace

std::unique_ptr<Device> MakeCudaDevice(MemorySource& memory, const DeviceSettings& settings) {
  return std::make_unique<CudaDevice>(memory, settings);
}

bool HasCuda() { return true; }

}  // namespace zerocts::engine
