// The GPU of the CUDA runtime here: streams are threads, memory is the host's, and kernels are interpreted.
#pragma once
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "impl/cuda_on_host/kernel.hpp"
#include "impl/device/stream_queue.hpp"

/// What a cudaStream_t points to.
struct CUstream_st {
  zerocts::engine::StreamQueue queue;
  std::atomic<int64_t> unfinished = 0;

  void Enqueue(std::function<void()> operation);
};

/// What a cudaEvent_t points to.
struct CUevent_st {
  std::mutex mutex;
  zerocts::engine::Event moment;  // null: never recorded, or passed
  using Time = std::chrono::steady_clock::time_point;
  const std::shared_ptr<Time> when = std::make_shared<Time>();  // of the moment; an event may be destroyed before it
};

namespace zerocts::engine::ptx {

class Gpu {
 public:
  static constexpr int64_t kMemoryBytes = int64_t{8} << 30;
  static constexpr unsigned kMostThreads = 1024;  // of a block

  static Gpu& Only();

  void* Allocate(size_t bytes);  // nullptr: there is not so much
  bool Free(void* memory);       // false: it was not allocated
  int64_t free_bytes() const { return kMemoryBytes - held_; }

  cudaStream_t MakeStream();
  void DestroyStream(cudaStream_t stream);  // when all that was enqueued has happened
  void Synchronize();

  /// The kernel that stands behind a function of the host.
  void Register(const void* host_function, const char* name) { names_[host_function] = name; }
  /// Parameters are copied now, and the kernel runs on the stream.
  void Launch(const void* host_function, dim3 grid, dim3 block, void** arguments, cudaStream_t stream);

  /// A kernel had a fault: nothing that is launched later happens.
  bool failed() const { return failed_; }
  const char* failure() const { return failure_.c_str(); }

 private:
  const Kernel& KernelOf(const void* host_function) const;
  void Fail(const std::string& why);

  GlobalMemory memory_;
  std::atomic<int64_t> held_ = 0;
  std::unordered_map<const void*, std::string> names_;
  std::mutex mutex_;
  std::set<std::shared_ptr<CUstream_st>> streams_;
  std::string failure_;
  std::atomic<bool> failed_ = false;
};

}  // namespace zerocts::engine::ptx
