#include "impl/subject/open/host_services.hpp"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

namespace zerocts::engine {
namespace {

static_assert(static_cast<int>(MemoryKind::kParameter) == ZEROCTS_MEMORY_PARAMETER);
static_assert(static_cast<int>(MemoryKind::kGradient) == ZEROCTS_MEMORY_GRADIENT);
static_assert(static_cast<int>(MemoryKind::kOptimizer) == ZEROCTS_MEMORY_OPTIMIZER);
static_assert(static_cast<int>(MemoryKind::kBuffer) == ZEROCTS_MEMORY_BUFFER);

void Require(const zerocts_host& host, int code, const std::string& call) {
  if (code == ZEROCTS_OK) return;
  const char* reason = host.last_error(host.context);
  const std::string sentence = fmt::format("{}: {}", call, reason ? reason : "the host gave no reason");
  if (code == ZEROCTS_DEADLINE_EXCEEDED) throw CollectiveTimeout(sentence);
  throw std::runtime_error(sentence);
}

}  // namespace

void RequireHost(const zerocts_host* host) {
  if (!host) throw std::invalid_argument("host is NULL");
  if (host->abi_major != ZEROCTS_ABI_MAJOR || host->struct_size < sizeof(zerocts_host)) {
    throw std::invalid_argument(
        fmt::format("the host has ABI {}.{} and a table of {} bytes: expected ABI {} and at least {} bytes",
                    host->abi_major, host->abi_minor, host->struct_size, ZEROCTS_ABI_MAJOR, sizeof(zerocts_host)));
  }
}

HostMemorySource::HostMemorySource(const zerocts_host& host)
    : host_(host),
      device_memory_(static_cast<const zerocts_device_memory_extension*>(
          host.get_extension ? host.get_extension(host.context, ZEROCTS_DEVICE_MEMORY_EXTENSION) : nullptr)) {}

void HostMemorySource::Count(int64_t bytes, MemoryKind kind) {
  if (device_memory_) device_memory_->count(host_.context, static_cast<size_t>(bytes), static_cast<int>(kind));
}

void HostMemorySource::Uncount(int64_t bytes, MemoryKind kind) {
  if (device_memory_) device_memory_->uncount(host_.context, static_cast<size_t>(bytes), static_cast<int>(kind));
}

void* HostMemorySource::Allocate(int64_t bytes, MemoryKind kind) {
  void* memory = host_.alloc(host_.context, static_cast<size_t>(bytes), static_cast<int>(kind));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void HostMemorySource::Free(void* memory) { host_.free(host_.context, memory); }

Store StoreOf(const zerocts_host& host, std::chrono::milliseconds deadline) {
  const auto deadline_ms = static_cast<uint32_t>(deadline.count());
  Store store;
  store.set = [&host](const std::string& key, const std::string& value) {
    Require(host, host.set(host.context, key.c_str(), value.data(), value.size()), "set " + key);
  };
  store.get = [&host, deadline_ms](const std::string& key, size_t bytes) {
    std::string value(bytes, '\0');
    Require(host, host.get(host.context, key.c_str(), value.data(), bytes, deadline_ms), "get " + key);
    return value;
  };
  return store;
}

std::function<void(const char*, const char*)> ProgressOf(const zerocts_host& host) {
  return [&host](const char* operation, const char* detail) { host.progress(host.context, operation, detail); };
}

std::function<void(const std::string&)> LogOf(const zerocts_host& host) {
  return [&host](const std::string& sentence) { host.log(host.context, ZEROCTS_LOG_INFO, sentence.c_str()); };
}

}  // namespace zerocts::engine
