#include "conformance/host/memory/host_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "conformance/abi/zerocts_subject.h"

namespace zerocts {
namespace {

TEST(HostMemory, IsAlignedPoisonedAndCounted) {
  HostMemory memory(true);
  auto* values = static_cast<float*>(memory.Allocate(12, ZEROCTS_MEMORY_OPTIMIZER));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values) % 128, 0u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(values[i]));
  void* nothing = memory.Allocate(0, ZEROCTS_MEMORY_BUFFER);
  EXPECT_NE(nothing, nullptr);
  EXPECT_EQ(memory.held().optimizer_bytes, 12u);
  memory.Free(values);
  memory.Free(nothing);
  memory.Free(nullptr);
  EXPECT_EQ(memory.held().optimizer_bytes, 0u);
}

using Sentences = std::vector<std::string>;

TEST(HostMemory, TheFirstByteOutsideOfABlockIsFound) {
  HostMemory memory(true);
  for (const size_t bytes : {0, 1, 12, 127, 128, 5000}) {
    auto* block = static_cast<char*>(memory.Allocate(bytes, ZEROCTS_MEMORY_BUFFER));
    EXPECT_EQ(memory.TakeBreaches(), Sentences());
    for (const ptrdiff_t at : {static_cast<ptrdiff_t>(bytes), ptrdiff_t{-1}}) {
      block[at] = 0;
      const Sentences found = memory.TakeBreaches();
      ASSERT_EQ(found.size(), 1u) << bytes << ", " << at;
      EXPECT_TRUE(
          found[0].starts_with(at < 0 ? "wrote 1 byte before the beginning of" : "wrote 1 byte past the end of"))
          << found[0];
      EXPECT_EQ(memory.TakeBreaches(), Sentences()) << "it is found once";
    }
    memory.Free(block);
  }
}

TEST(HostMemory, WhatIsWrittenIsFoundWhenItIsFreed) {
  HostMemory memory(true);
  auto* block = static_cast<char*>(memory.Allocate(8, ZEROCTS_MEMORY_GRADIENT));
  std::memset(block + 8, 0, kCanaryBytes);
  memory.Free(block);
  EXPECT_EQ(memory.TakeBreaches(),
            Sentences{"wrote at least 128 bytes past the end of block 1 of alloc (8 bytes of gradient memory)"});
}

TEST(HostMemory, WhatAllocDidNotGiveIsLeftAlone) {
  HostMemory memory(true), other(true, 3);
  auto* block = static_cast<char*>(memory.Allocate(8, ZEROCTS_MEMORY_PARAMETER));
  void* of_other = other.Allocate(9, ZEROCTS_MEMORY_BUFFER);
  int own = 7;
  for (void* foreign : {static_cast<void*>(&own), static_cast<void*>(block + 1), of_other}) memory.Free(foreign);
  memory.Free(block);
  memory.Free(block);
  EXPECT_EQ(memory.TakeBreaches(),
            (Sentences{"freed a pointer that alloc did not give",
                       "freed a pointer 1 byte into block 1 of alloc (8 bytes of parameter memory)",
                       "freed block 1 of alloc (9 bytes of buffer memory) of rank 3",
                       "freed block 1 of alloc (8 bytes of parameter memory), which it had freed before"}));
  EXPECT_EQ(own, 7);
  EXPECT_EQ(memory.Left(), "");
  EXPECT_EQ(other.Left(),
            "left 1 block of alloc, 9 bytes, the first being block 1 of alloc (9 bytes of buffer memory)");
  other.Free(of_other);
}

TEST(HostMemory, NoMoreOfAnAcceleratorsMemoryIsGivenBackThanWasCounted) {
  HostMemory memory(true);
  memory.Count(12, ZEROCTS_MEMORY_GRADIENT);
  EXPECT_EQ(memory.Left(), "left 12 bytes of an accelerator's memory in the account");
  memory.Uncount(13, ZEROCTS_MEMORY_GRADIENT);
  EXPECT_EQ(memory.TakeBreaches(), Sentences{"gave back 13 bytes of an accelerator's memory, of 12 in the account"});
  EXPECT_EQ(memory.held().total(), 0u);
}

TEST(HostMemory, CountsWhatAnAcceleratorHolds) {
  HostMemory memory(true);
  memory.Count(12, ZEROCTS_MEMORY_GRADIENT);
  memory.Count(5, ZEROCTS_MEMORY_BUFFER);
  memory.Count(1, 4);
  memory.Count(1, -1);
  memory.Uncount(4, ZEROCTS_MEMORY_GRADIENT);
  memory.Uncount(1, 4);
  EXPECT_EQ(memory.held().gradient_bytes, 8u);
  EXPECT_EQ(memory.held().buffer_bytes, 5u);
  EXPECT_EQ(memory.peak_bytes(), 17u);
}

TEST(HostMemory, RemembersItsPeak) {
  HostMemory memory(true);
  EXPECT_EQ(memory.peak_bytes(), 0u);
  void* parameter = memory.Allocate(100, ZEROCTS_MEMORY_PARAMETER);
  void* buffer = memory.Allocate(30, ZEROCTS_MEMORY_BUFFER);
  memory.Free(buffer);
  memory.Free(memory.Allocate(20, ZEROCTS_MEMORY_GRADIENT));
  EXPECT_EQ(memory.peak_bytes(), 130u);
  memory.Free(parameter);
  EXPECT_EQ(memory.peak_bytes(), 130u);
}

TEST(HostMemory, OrZero) {
  HostMemory memory(false);
  auto* value = static_cast<float*>(memory.Allocate(4, ZEROCTS_MEMORY_GRADIENT));
  EXPECT_EQ(*value, 0.0f);
  memory.Free(value);
}

TEST(HostMemory, LargeBlocksBeginAtDifferentOffsetsInAPage) {
  HostMemory memory(false);
  std::vector<void*> blocks;
  std::set<uintptr_t> offsets;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(memory.Allocate(1 << 20, ZEROCTS_MEMORY_PARAMETER));
    offsets.insert(reinterpret_cast<uintptr_t>(blocks.back()) % 4096);
  }
  EXPECT_EQ(offsets.size(), 8u);
  for (void* block : blocks) memory.Free(block);
}

/// Flags of the mapping that holds `memory`, as the kernel tells them: "hg" where huge pages were asked for.
std::string MappingFlags(const void* memory) {
  std::ifstream in("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      const auto address = reinterpret_cast<uintptr_t>(memory);
      inside = address >= begin && address < end;
    }
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(HostMemory, HugePagesAreAskedForFrom4MiBOn) {
  HostMemory memory(true);
  char* small = static_cast<char*>(memory.Allocate(1 << 20, ZEROCTS_MEMORY_OPTIMIZER));
  char* large = static_cast<char*>(memory.Allocate(64 << 20, ZEROCTS_MEMORY_OPTIMIZER));
  const std::string flags = MappingFlags(large + (32 << 20));
  if (flags.empty()) GTEST_SKIP() << "this kernel does not tell the flags of mappings";
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
  EXPECT_EQ(MappingFlags(small + (1 << 19)).find(" hg "), std::string::npos);
  memory.Free(large);
  memory.Free(small);
}

TEST(HostMemory, WhatCannotBeIsNull) {
  HostMemory memory(true);
  EXPECT_EQ(memory.Allocate(4, 4), nullptr);
  EXPECT_EQ(memory.Allocate(4, -1), nullptr);
  EXPECT_EQ(memory.Allocate(SIZE_MAX, ZEROCTS_MEMORY_BUFFER), nullptr);
}

TEST(HeapBytes, GrowsByWhatTheSubjectAskedForAndWhatTheHostTakesAround) {
  if (ZEROCTS_SANITIZED)
    GTEST_SKIP() << "a sanitizer's allocator serves this process, and mallinfo2 knows nothing of it";
  HostMemory memory(true);
  const uint64_t before = HeapBytes();
  std::vector<void*> blocks(20);
  for (void*& block : blocks) block = memory.Allocate(100000, ZEROCTS_MEMORY_BUFFER);
  const uint64_t growth = HeapBytes() - before;
  EXPECT_GT(memory.overhead_bytes(), 20u * 4096);
  EXPECT_NEAR(static_cast<double>(growth), static_cast<double>(memory.held().total() + memory.overhead_bytes()), 8192);
  for (void* block : blocks) memory.Free(block);
}

TEST(HeapBytes, GrowsByWhatIsAllocatedAndObservationsAreKnown) {
  if (ZEROCTS_SANITIZED)
    GTEST_SKIP() << "a sanitizer's allocator serves this process, and mallinfo2 knows nothing of it";
  const uint64_t before = HeapBytes();
  RankObservation observation;
  observation.tensors.resize(3);
  for (TensorRecord& record : observation.tensors) record.values.resize(100000);
  const uint64_t growth = HeapBytes() - before;
  EXPECT_GE(growth, 1200000u);
  EXPECT_NEAR(static_cast<double>(HeapBytesOf(observation)), static_cast<double>(growth), 16384);
}

}  // namespace
}  // namespace zerocts
