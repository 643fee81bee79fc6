// The CUDA runtime of a machine whose one GPU is its CPU: what impl/device/cuda/ and what nvcc writes for its ops.cu
// call. Who does not wait for a stream reads too early. A fault of a kernel stays, as on a GPU, and its reason is the
// text of the error.
#include <cstring>
#include <optional>
#include <utility>

#include "impl/cuda_on_host/gpu.hpp"

using zerocts::engine::ptx::Gpu;

namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct Launch {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::optional<Launch> launch;  // between <<<>>> and the kernel's stub

cudaError_t Say(cudaError_t error) {
  if (error == cudaSuccess && Gpu::Only().failed()) error = cudaErrorIllegalAddress;
  if (error != cudaSuccess) last_error = error;
  return error;
}

/// Streams of their own of each thread of the host: what is asked of them has happened when the call returns.
bool IsImmediate(cudaStream_t stream) { return stream == cudaStreamPerThread; }

}  // namespace

extern "C" {

// --- written by nvcc

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
  Gpu::Only().Register(host_function, name);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, CUstream_st* stream) {
  launch = {grid, block, shared_bytes, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  *grid = launch->grid;
  *block = launch->block;
  *shared_bytes = launch->shared_bytes;
  *static_cast<cudaStream_t*>(stream) = launch->stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  const bool is_plain =
      grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && shared_bytes == 0;  // what is known here
  if (!is_plain || grid.x == 0 || block.x == 0 || block.x > Gpu::kMostThreads)
    return Say(cudaErrorInvalidConfiguration);
  Gpu::Only().Launch(host_function, grid, block, arguments, stream);
  return Say(cudaSuccess);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

// --- the GPU

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return Say(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = 1;
  return Say(attribute == cudaDevAttrMultiProcessorCount ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceSynchronize() {
  Gpu::Only().Synchronize();
  return Say(cudaSuccess);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = std::exchange(last_error, cudaSuccess);
  return Gpu::Only().failed() ? cudaErrorIllegalAddress : error;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? Gpu::Only().failure() : cudaGetErrorName(error);
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    default: return "an error that has no name here";
  }
}

// --- memory

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = Gpu::Only().Allocate(bytes);
  return Say(*memory ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFree(void* memory) {
  Gpu::Only().Synchronize();
  return Say(Gpu::Only().Free(memory) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  stream->Enqueue([memory] { Gpu::Only().Free(memory); });
  return Say(cudaSuccess);
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;  // freed memory goes back at once
  return Say(cudaSuccess);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return Say(cudaSuccess); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return Say(cudaSuccess); }
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = static_cast<size_t>(Gpu::Only().free_bytes());
  *total_bytes = static_cast<size_t>(Gpu::kMemoryBytes);
  return Say(cudaSuccess);
}
cudaError_t cudaMemcpyAsync(void* out, const void* in, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  stream->Enqueue([=] { std::memmove(out, in, bytes); });
  return Say(cudaSuccess);
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  if (IsImmediate(stream)) {
    std::memset(memory, value, bytes);
  } else {
    stream->Enqueue([=] { std::memset(memory, value, bytes); });
  }
  return Say(cudaSuccess);
}

// --- streams and events

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = Gpu::Only().MakeStream();
  return Say(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Gpu::Only().DestroyStream(stream);
  return Say(cudaSuccess);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const bool is_idle = stream->unfinished == 0;
  return is_idle || Gpu::Only().failed() ? Say(cudaSuccess) : cudaErrorNotReady;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!IsImmediate(stream)) stream->queue.Synchronize();
  return Say(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(event->mutex);
  stream->queue.WaitFor(event->moment);
  return Say(cudaSuccess);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return Say(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(*end->when - *begin->when).count();
  return Say(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return Say(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  stream->Enqueue([when = event->when] { *when = std::chrono::steady_clock::now(); });
  const std::lock_guard lock(event->mutex);
  event->moment = stream->queue.Record();
  return Say(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  zerocts::engine::Event moment;
  {
    const std::lock_guard lock(event->mutex);
    moment = event->moment;
  }
  if (moment) moment->Synchronize();
  return Say(cudaSuccess);
}
}
