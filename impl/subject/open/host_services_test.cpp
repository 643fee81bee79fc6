// The account of memory that is not the host's to give.
#include "impl/subject/open/host_services.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace zerocts::engine {
namespace {

using Held = std::map<int, int64_t>;

zerocts_host HostThat(bool counts, Held& held) {
  zerocts_host host{};
  host.context = &held;
  host.get_extension = [](void*, const char*) -> const void* { return nullptr; };
  if (!counts) return host;
  host.get_extension = [](void*, const char* id) -> const void* {
    static const zerocts_device_memory_extension extension = {
        sizeof extension,
        [](void* context, size_t bytes, int kind) {
          (*static_cast<Held*>(context))[kind] += static_cast<int64_t>(bytes);
        },
        [](void* context, size_t bytes, int kind) {
          (*static_cast<Held*>(context))[kind] -= static_cast<int64_t>(bytes);
        }};
    return std::strcmp(id, "zerocts.device_memory/1") == 0 ? &extension : nullptr;
  };
  return host;
}

TEST(HostMemorySource, CountsMemoryOfAnAcceleratorWithAHostThatDoes) {
  Held held;
  const zerocts_host host = HostThat(true, held);
  HostMemorySource memory(host);
  memory.Count(12, MemoryKind::kGradient);
  memory.Count(5, MemoryKind::kBuffer);
  memory.Uncount(4, MemoryKind::kGradient);
  EXPECT_EQ(held, (Held{{ZEROCTS_MEMORY_GRADIENT, 8}, {ZEROCTS_MEMORY_BUFFER, 5}}));
}

TEST(HostMemorySource, CountsNothingWithAHostThatDoesNot) {
  Held held;
  zerocts_host host = HostThat(false, held);
  HostMemorySource(host).Count(12, MemoryKind::kGradient);
  host.get_extension = nullptr;
  HostMemorySource(host).Uncount(12, MemoryKind::kGradient);
  EXPECT_TRUE(held.empty());
}

}  // namespace
}  // namespace zerocts::engine
