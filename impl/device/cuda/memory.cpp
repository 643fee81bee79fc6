#include "impl/device/cuda/memory.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "impl/device/cuda/calls.hpp"
#include "impl/device/out_of_device_memory.hpp"
#include "impl/device/poison.hpp"

namespace zerocts::engine {
namespace {

/// Whether there was memory. A call that fails because there was none leaves no error behind for later calls.
bool Taken(cudaError_t code, const char* call) {
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return false;
  }
  RequireCuda(code, call);
  return true;
}

cudaMemPool_t PoolOfScratch() {
  int gpu = 0;
  cudaMemPool_t pool = nullptr;
  RequireCuda(cudaGetDevice(&gpu), "cudaGetDevice");
  RequireCuda(cudaDeviceGetDefaultMemPool(&pool, gpu), "cudaDeviceGetDefaultMemPool");
  return pool;
}

/// What no operation that is enqueued needs.
void GiveBackScratch() {
  RequireCuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  RequireCuda(cudaMemPoolTrimTo(PoolOfScratch(), 0), "cudaMemPoolTrimTo");
}

}  // namespace

void KeepScratchOfCuda() {
  uint64_t bytes = UINT64_MAX;
  RequireCuda(cudaMemPoolSetAttribute(PoolOfScratch(), cudaMemPoolAttrReleaseThreshold, &bytes),
              "cudaMemPoolSetAttribute");
}

void PoisonCudaMemory(void* memory, int64_t bytes) {
  RequireCuda(cudaMemsetAsync(memory, kNaNByte, static_cast<size_t>(bytes), cudaStreamPerThread), "cudaMemsetAsync");
  RequireCuda(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
}

void* CudaMemory::DeviceBlocks::Take(int64_t bytes) {
  void* block = nullptr;
  const auto take = [&] { return Taken(cudaMalloc(&block, static_cast<size_t>(bytes)), "cudaMalloc"); };
  if (take()) return block;
  GiveBackScratch();
  return take() ? block : nullptr;
}

void* CudaMemory::PinnedBlocks::Take(int64_t bytes) {
  void* block = nullptr;
  return Taken(cudaHostAlloc(&block, static_cast<size_t>(bytes), cudaHostAllocPortable), "cudaHostAlloc") ? block
                                                                                                          : nullptr;
}

// Destructors come here: an error of the GPU, which every later call has too, is left to those.
void CudaMemory::DeviceBlocks::Return(void* block) { cudaFree(block); }
void CudaMemory::PinnedBlocks::Return(void* block) { cudaFreeHost(block); }

void* CudaMemory::Allocate(int64_t bytes, std::optional<MemoryKind> kind, Location location) {
  const std::lock_guard lock(mutex_);
  const bool on_device = location == Location::kDevice;
  const MemoryKind named = kind.value_or(MemoryKind::kBuffer);
  if (on_device && capacity_bytes_ > 0 && bytes > capacity_bytes_ - held_bytes_) {
    throw OutOfDeviceMemory("cuda", bytes, named, held_bytes_, capacity_bytes_);
  }
  void* memory = (on_device ? on_device_ : pinned_).Allocate(bytes);
  if (!memory) {
    size_t free_bytes = 0, total_bytes = 0;
    RequireCuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    throw OutOfDeviceMemory("cuda", bytes, named, static_cast<int64_t>(total_bytes - free_bytes),
                            static_cast<int64_t>(total_bytes));
  }
  if (on_device) {
    PoisonCudaMemory(memory, bytes);
    held_bytes_ += bytes;
  } else {
    std::memset(memory, kNaNByte, static_cast<size_t>(bytes));
  }
  held_[memory] = {bytes, kind, location};
  if (kind) source_.Count(bytes, *kind);
  return memory;
}

void CudaMemory::Free(void* memory) {
  if (!memory) return;
  cudaDeviceSynchronize();  // an error is left to later calls: destructors come here
  const std::lock_guard lock(mutex_);
  const auto entry = held_.find(memory);
  if (entry == held_.end()) {
    throw std::logic_error(fmt::format("cuda device: Free({}): no memory of this device that is still held", memory));
  }
  const Held held = entry->second;
  held_.erase(entry);
  if (held.location == Location::kDevice) held_bytes_ -= held.bytes;
  if (held.kind) source_.Uncount(held.bytes, *held.kind);
  (held.location == Location::kDevice ? on_device_ : pinned_).Free(memory);
}

}  // namespace zerocts::engine
