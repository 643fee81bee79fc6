#include "impl/device/cuda_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "impl/device/cuda_calls.hpp"
#include "impl/device/out_of_device_memory.hpp"

namespace zerocts {
namespace {

constexpr int kNaN = 0xff;  // every byte of a NaN, in fp32 and in bf16

size_t AllocatedBytes(int64_t bytes) { return std::max<size_t>(static_cast<size_t>(bytes), 1); }

/// A call that fails for want of memory leaves no error behind for later calls.
bool IsOutOfMemory(cudaError_t code) {
  if (code != cudaErrorMemoryAllocation) return false;
  cudaGetLastError();
  return true;
}

}  // namespace

void PoisonCudaMemory(void* memory, int64_t bytes) {
  RequireCuda(cudaMemsetAsync(memory, kNaN, static_cast<size_t>(bytes), cudaStreamPerThread), "cudaMemsetAsync");
  RequireCuda(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
}

CudaMemory::~CudaMemory() {
  for (const auto& [memory, block] : held_) Release(memory, block);
}

void* CudaMemory::Allocate(int64_t bytes, std::optional<MemoryKind> kind, Place place) {
  const std::lock_guard lock(mutex_);
  const bool on_device = place == Place::kDevice;
  const MemoryKind named = kind.value_or(MemoryKind::kBuffer);
  if (on_device && capacity_bytes_ > 0 && bytes > capacity_bytes_ - held_bytes_) {
    throw OutOfDeviceMemory("cuda", bytes, named, held_bytes_, capacity_bytes_);
  }
  void* memory = nullptr;
  const cudaError_t code = on_device ? cudaMalloc(&memory, AllocatedBytes(bytes))
                                     : cudaHostAlloc(&memory, AllocatedBytes(bytes), cudaHostAllocPortable);
  if (IsOutOfMemory(code)) {
    size_t free_bytes = 0, total_bytes = 0;
    RequireCuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    throw OutOfDeviceMemory("cuda", bytes, named, static_cast<int64_t>(total_bytes - free_bytes),
                            static_cast<int64_t>(total_bytes));
  }
  RequireCuda(code, on_device ? "cudaMalloc" : "cudaHostAlloc");
  if (on_device) {
    PoisonCudaMemory(memory, bytes);
    held_bytes_ += bytes;
  } else {
    std::memset(memory, kNaN, AllocatedBytes(bytes));
  }
  held_[memory] = {bytes, kind, place};
  if (kind) source_.Count(bytes, *kind);
  return memory;
}

void CudaMemory::Free(void* memory) {
  if (!memory) return;
  const std::lock_guard lock(mutex_);
  const auto entry = held_.find(memory);
  if (entry == held_.end()) {
    throw std::logic_error(fmt::format("cuda device: Free({}): no memory of this device that is still held", memory));
  }
  const Block block = entry->second;
  held_.erase(entry);
  if (block.place == Place::kDevice) held_bytes_ -= block.bytes;
  if (block.kind) source_.Uncount(block.bytes, *block.kind);
  Release(memory, block);
}

/// Buffers are freed by destructors: an error of the GPU, which every later call has too, is left to those.
void CudaMemory::Release(void* memory, const Block& block) {
  if (block.place == Place::kDevice) {
    cudaFree(memory);
  } else {
    cudaFreeHost(memory);
  }
}

}  // namespace zerocts
