// A CUDA stream with a thread of the host before it. What is enqueued goes to the thread, which launches it; work of
// the host waits there until the GPU has come so far, so it may call CUDA, wait for other ranks and throw, none of
// which a cudaLaunchHostFunc may do (those of all streams share one thread: ranks that are threads would wait for each
// other for ever).
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "impl/device/queued_stream.hpp"

namespace zerocts::engine {

class CudaStream : public DeviceStream {
 public:
  /// `math`: of a compute stream.
  CudaStream(int gpu, StreamRole role, Math math);

  Ops& ops() override;
  void Run(std::function<void()> work, std::vector<Overwritten> overwritten = {}) override;
  Ops& ops_of_work() override { return *waiting_ops_; }
  void* native_handle() override { return handle_.stream; }
  bool native_handle_is_idle() override;
  Event Record() override;
  void WaitFor(const Event& event) override;
  void Synchronize() override;

  /// launch(stream) in stream order, on the stream's thread: asynchronous calls of CUDA.
  void Launch(std::function<void(cudaStream_t)> launch);

 private:
  /// The handle; destroyed when everything that uses it is.
  struct Handle {
    explicit Handle(StreamRole role);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    cudaStream_t stream = nullptr;
  };

  const StreamRole role_;
  const Handle handle_;
  const std::unique_ptr<Ops> launching_ops_, waiting_ops_;
  QueuedOps host_ops_;
  QueuedStream launches_;  // the last member: its thread uses the others
};

}  // namespace zerocts::engine
