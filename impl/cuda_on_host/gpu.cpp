#include "impl/cuda_on_host/gpu.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

void CUstream_st::Enqueue(std::function<void()> operation) {
  ++unfinished;
  queue.Enqueue([this, operation = std::move(operation)] {
    operation();
    --unfinished;
  });
}

namespace zerocts::engine::ptx {
namespace {

/// Reads those that were compiled for the newest architecture.
std::map<std::string, Kernel> ReadKernels() {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ZEROCTS_PTX_FOLDER)) {
    if (entry.path().extension() == ".ptx") files.insert(entry.path());
  }
  if (files.empty()) {
    throw std::runtime_error("no .ptx in " ZEROCTS_PTX_FOLDER
                             ": was cuda/ops.cu compiled through a cache, which keeps none?");
  }
  std::ostringstream text;
  text << std::ifstream(*files.rbegin()).rdbuf();
  return KernelsOf(text.str());
}

/// Pages, which are not of the heap.
size_t PagesFor(size_t bytes) { return std::max<size_t>(bytes, 1); }

}  // namespace

Gpu& Gpu::Only() {
  static Gpu gpu;
  return gpu;
}

void* Gpu::Allocate(size_t bytes) {
  if (bytes > static_cast<size_t>(kMemoryBytes)) return nullptr;
  const auto wanted = static_cast<int64_t>(bytes);
  if (held_.fetch_add(wanted) > kMemoryBytes - wanted) {
    held_ -= wanted;
    return nullptr;
  }
  void* memory = mmap(nullptr, PagesFor(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    held_ -= wanted;
    return nullptr;
  }
  memory_.Add(memory, wanted);
  return memory;
}

bool Gpu::Free(void* memory) {
  if (!memory) return true;
  const int64_t bytes = memory_.Remove(memory);
  if (bytes < 0) return false;
  held_ -= bytes;
  munmap(memory, PagesFor(static_cast<size_t>(bytes)));
  return true;
}

cudaStream_t Gpu::MakeStream() {
  auto stream = std::make_shared<CUstream_st>();
  const std::lock_guard lock(mutex_);
  streams_.insert(stream);
  return stream.get();
}

void Gpu::DestroyStream(cudaStream_t stream) {
  stream->queue.Synchronize();
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [&](const auto& held) { return held.get() == stream; });
}

void Gpu::Synchronize() {
  std::set<std::shared_ptr<CUstream_st>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (const auto& stream : streams) stream->queue.Synchronize();
}

void Gpu::Launch(const void* host_function, dim3 grid, dim3 block, void** arguments, cudaStream_t stream) {
  const Kernel& kernel = KernelOf(host_function);
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto [offset, bytes] = kernel.parameters[i];
    std::memcpy(parameters.data() + offset, arguments[i], bytes);
  }
  stream->Enqueue([this, &kernel, blocks = grid.x, threads = block.x, parameters = std::move(parameters)] {
    try {
      RunGrid(kernel, parameters, memory_, blocks, static_cast<int>(threads), [this] { return !failed(); });
    } catch (const Fault& fault) {
      Fail(fault.what());
    }
  });
}

const Kernel& Gpu::KernelOf(const void* host_function) const {
  static const std::map<std::string, Kernel> kernels = ReadKernels();
  const std::string& name = names_.at(host_function);
  const auto found = kernels.find(name);
  if (found == kernels.end())
    throw std::runtime_error(fmt::format("kernel {}: expected it in the PTX of " ZEROCTS_PTX_FOLDER, name));
  return found->second;
}

/// The first one stays.
void Gpu::Fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  failure_ = why;
  failed_ = true;
}

}  // namespace zerocts::engine::ptx
