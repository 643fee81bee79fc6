// The CUDA runtime of a machine whose one GPU is its CPU: what cuda_*.cpp and what nvcc writes for cuda_ops.cu call. Kernels are interpreted
// from their PTX. Streams are threads, so whoever does not wait reads too early; memory is the host's. A fault of a kernel stays, as on a GPU,
// and its reason is the text of the error.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "impl/device/cuda_on_host_for_test/kernel.hpp"
#include "impl/device/stream_queue.hpp"

using namespace zerocts;  // NOLINT: definitions below have the names and the linkage of the CUDA runtime

struct CUstream_st {
  StreamQueue queue;
  std::atomic<int64_t> unfinished = 0;

  void Enqueue(std::function<void()> operation) {
    ++unfinished;
    queue.Enqueue([this, operation = std::move(operation)] {
      operation();
      --unfinished;
    });
  }
};

struct CUevent_st {
  std::mutex mutex;
  Event moment;  // null: never recorded, or passed
  using Time = std::chrono::steady_clock::time_point;
  const std::shared_ptr<Time> when = std::make_shared<Time>();  // of the moment; an event may be destroyed before it
};

namespace {

constexpr int64_t kMemoryBytes = int64_t{8} << 30;

/// Of the newest architecture that was compiled for.
std::map<std::string, ptx::Kernel> ReadKernels() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ZEROCTS_PTX_FOLDER)) {
    if (entry.path().extension() == ".ptx") files.insert(entry.path());
  }
  if (files.empty()) {
    throw std::runtime_error("no .ptx in " ZEROCTS_PTX_FOLDER ": was cuda_ops.cu compiled through a cache, which keeps none?");
  }
  std::ostringstream text;
  text << std::ifstream(*files.rbegin()).rdbuf();
  return ptx::KernelsOf(text.str());
}

class Gpu {
 public:
  static Gpu& Only() {
    static Gpu gpu;
    return gpu;
  }

  void* Allocate(size_t bytes) {
    if (held_.fetch_add(static_cast<int64_t>(bytes)) > kMemoryBytes - static_cast<int64_t>(std::min<size_t>(bytes, kMemoryBytes))) {
      held_ -= static_cast<int64_t>(bytes);
      return nullptr;
    }
    void* memory = mmap(nullptr, std::max<size_t>(bytes, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);  // not of the heap
    memory_.Add(memory, static_cast<int64_t>(bytes));
    return memory;
  }
  bool Free(void* memory) {
    if (!memory) return true;
    const int64_t bytes = memory_.Remove(memory);
    if (bytes < 0) return false;
    held_ -= bytes;
    munmap(memory, std::max<size_t>(static_cast<size_t>(bytes), 1));
    return true;
  }
  int64_t free_bytes() const { return kMemoryBytes - held_; }

  cudaStream_t MakeStream() {
    auto stream = std::make_shared<CUstream_st>();
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
    return stream.get();
  }
  void DestroyStream(cudaStream_t stream) {
    stream->queue.Synchronize();
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [&](const auto& held) { return held.get() == stream; });
  }
  void Synchronize() {
    std::set<std::shared_ptr<CUstream_st>> streams;
    {
      const std::lock_guard lock(mutex_);
      streams = streams_;
    }
    for (const auto& stream : streams) stream->queue.Synchronize();
  }

  void Register(const void* host_function, const char* name) { names_[host_function] = name; }

  /// Parameters are copied now, and the kernel runs on the stream.
  void Launch(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream) {
    const ptx::Kernel& kernel = KernelOf(host_function);
    if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1 || shared_bytes != 0) {
      throw std::runtime_error("a launch in several dimensions, or with dynamic shared memory: not known here");
    }
    std::vector<std::byte> parameters(kernel.parameter_bytes);
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const auto [offset, bytes] = kernel.parameters[i];
      std::memcpy(parameters.data() + offset, arguments[i], bytes);
    }
    stream->Enqueue([this, &kernel, blocks = grid.x, threads = block.x, parameters = std::move(parameters)] {
      try {
        ptx::RunGrid(kernel, parameters, memory_, blocks, static_cast<int>(threads), [this] { return !failed(); });
      } catch (const ptx::Fault& fault) {
        Fail(fault.what());
      }
    });
  }

  bool failed() const { return failed_; }
  const char* failure() const { return failure_.c_str(); }

 private:
  const ptx::Kernel& KernelOf(const void* host_function) {
    static const std::map<std::string, ptx::Kernel> kernels = ReadKernels();
    const std::string& name = names_.at(host_function);
    const auto found = kernels.find(name);
    if (found == kernels.end()) throw std::runtime_error(fmt::format("kernel {}: expected it in the PTX of " ZEROCTS_PTX_FOLDER, name));
    return found->second;
  }

  /// The first one stays.
  void Fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    failure_ = why;
    failed_ = true;
  }

  ptx::GlobalMemory memory_;
  std::atomic<int64_t> held_ = 0;
  std::unordered_map<const void*, std::string> names_;
  std::mutex mutex_;
  std::set<std::shared_ptr<CUstream_st>> streams_;
  std::string failure_;
  std::atomic<bool> failed_ = false;
};

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
void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
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
cudaError_t cudaLaunchKernel(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream) {
  Gpu::Only().Launch(host_function, grid, block, arguments, shared_bytes, stream);
  return Say(cudaSuccess);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes, cudaStream_t stream) {
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
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = static_cast<size_t>(Gpu::Only().free_bytes());
  *total_bytes = static_cast<size_t>(kMemoryBytes);
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
  Event moment;
  {
    const std::lock_guard lock(event->mutex);
    moment = event->moment;
  }
  if (moment) moment->Synchronize();
  return Say(cudaSuccess);
}
}
