#include "impl/device/sim/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "impl/device/for_test/counting_memory.hpp"

namespace zerocts::engine {
namespace {

using Held = std::array<int64_t, 4>;

bool IsNaN(const std::byte* memory, int64_t bytes) {
  return std::count(memory, memory + bytes, std::byte{0xff}) == bytes;
}

std::string Found(SimMemory& memory) {
  try {
    memory.CheckFreed();
  } catch (const UseAfterFree& found) {
    return found.what();
  }
  return "";
}

TEST(SimMemory, TheSourceSeesEveryByteWhileItIsHeldAndNoLonger) {
  CountingMemory source;
  SimMemory memory(source, 0);
  void* parameter = memory.Allocate(1001, MemoryKind::kParameter, SimLocation::kDevice);
  void* gradient = memory.Allocate(77, MemoryKind::kGradient, SimLocation::kDevice);
  void* staging = memory.Allocate(13, MemoryKind::kBuffer, SimLocation::kHost);
  EXPECT_EQ(source.held, (Held{1001, 77, 0, 13}));
  memory.Free(parameter);
  EXPECT_EQ(source.held, (Held{0, 77, 0, 13}));
  memory.Free(gradient);
  memory.Free(staging);
  EXPECT_EQ(source.held, (Held{}));
}

TEST(SimMemory, FreshMemoryAndFreedMemoryAreNaN) {
  CountingMemory source;
  SimMemory memory(source, 0);
  for (const int64_t bytes : {0, 1, 4, 4095, 4096, 100001}) {
    auto* block = static_cast<std::byte*>(memory.Allocate(bytes, MemoryKind::kBuffer, SimLocation::kDevice));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 128, 0u);
    EXPECT_TRUE(IsNaN(block, bytes)) << bytes;
    std::memset(block, 1, static_cast<size_t>(bytes));
    memory.Free(block);
    EXPECT_TRUE(IsNaN(block, bytes)) << bytes;
  }
  EXPECT_EQ(Found(memory), "");
}

TEST(SimMemory, CapacityIsOfTheDeviceAndRefusesInASentence) {
  CountingMemory source;
  SimMemory memory(source, 4500);
  void* first = memory.Allocate(4000, MemoryKind::kParameter, SimLocation::kDevice);
  void* host = memory.Allocate(10000, MemoryKind::kBuffer, SimLocation::kHost);
  try {
    memory.Allocate(501, MemoryKind::kGradient, SimLocation::kDevice);
    FAIL() << "there was no room";
  } catch (const std::bad_alloc& refusal) {
    EXPECT_STREQ(refusal.what(), "sim device: wanted 501 bytes (gradient), but holds 4000 of its 4500 bytes");
  }
  EXPECT_EQ(source.held, (Held{4000, 0, 0, 10000}));
  void* second = memory.Allocate(500, MemoryKind::kGradient, SimLocation::kDevice);
  memory.Free(first);
  first = memory.Allocate(4000, MemoryKind::kGradient, SimLocation::kDevice);
  for (void* block : {first, second, host}) memory.Free(block);
}

TEST(SimMemory, AWriteAfterFreeIsToldOnceByTheNextCall) {
  const std::string sentence =
      "sim device: device memory of 4097 bytes (gradient) was written to after Free, from byte 4096 on: expected that "
      "the code that frees it waits for the stream that writes it";
  CountingMemory source;
  SimMemory memory(source, 0);
  auto* other = memory.Allocate(9, MemoryKind::kBuffer, SimLocation::kDevice);
  auto* block = static_cast<std::byte*>(memory.Allocate(4097, MemoryKind::kGradient, SimLocation::kDevice));
  memory.Free(block);
  block[4096] = std::byte{0x3f};
  EXPECT_EQ(Found(memory), sentence);
  EXPECT_EQ(Found(memory), "");

  block[4096] = std::byte{0x3f};
  const Held held = source.held;
  EXPECT_THROW(memory.Allocate(1, MemoryKind::kBuffer, SimLocation::kDevice), UseAfterFree);
  EXPECT_EQ(source.held, held);

  block[4096] = std::byte{0x3f};
  EXPECT_NO_THROW(memory.Free(other));  // it finds, and leaves the telling to what may throw
  EXPECT_EQ(Found(memory), sentence);
}

TEST(SimMemory, HostMemoryIsWatchedToo) {
  CountingMemory source;
  SimMemory memory(source, 0);
  auto* block = static_cast<std::byte*>(memory.Allocate(5, MemoryKind::kOptimizer, SimLocation::kHost));
  memory.Free(block);
  block[0] = std::byte{0};
  EXPECT_NE(Found(memory).find("host memory of 5 bytes (optimizer) was written to after Free, from byte 0 on"),
            std::string::npos);
}

TEST(SimMemory, KeepsSomeFreedMemoryAndTellsOfWhatItLetsGo) {
  CountingMemory source;
  SimMemory memory(source, 0, 10000);
  std::byte* blocks[4];
  for (std::byte*& block : blocks) {
    block = static_cast<std::byte*>(memory.Allocate(4000, MemoryKind::kBuffer, SimLocation::kDevice));
  }
  memory.Free(blocks[0]);
  memory.Free(blocks[1]);
  blocks[0][7] = std::byte{1};
  memory.Free(blocks[2]);  // the first one goes
  EXPECT_NE(Found(memory).find("from byte 7 on"), std::string::npos);
  memory.Free(blocks[3]);
  blocks[2][8] = std::byte{1};  // still kept
  EXPECT_NE(Found(memory).find("from byte 8 on"), std::string::npos);
  EXPECT_EQ(source.held, (Held{}));
}

TEST(SimMemory, ItsEndSaysOnStderrWhatNobodyAskedFor) {
  CountingMemory source;
  testing::internal::CaptureStderr();
  {
    SimMemory memory(source, 0);
    auto* block = static_cast<std::byte*>(memory.Allocate(5, MemoryKind::kBuffer, SimLocation::kDevice));
    memory.Free(block);
    block[3] = std::byte{1};
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("from byte 3 on"), std::string::npos);
}

TEST(SimMemory, RefusesToFreeWhatItDoesNotHold) {
  CountingMemory source;
  SimMemory memory(source, 0);
  void* block = memory.Allocate(5, MemoryKind::kBuffer, SimLocation::kDevice);
  memory.Free(nullptr);
  memory.Free(block);
  EXPECT_THROW(memory.Free(block), std::logic_error);
  EXPECT_EQ(source.held, (Held{}));
}

}  // namespace
}  // namespace zerocts::engine
