#include "impl/device/device.hpp"

#include <gtest/gtest.h>

#include "impl/device/poisoned_memory_for_test.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

TEST(HostDevice, CopiesThereAndBackAtOnce) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory);
  const auto stream = device->MakeStream(StreamRole::kCompute);
  const float sent[3] = {1, 2, 3};
  float received[3] = {};
  void* there = device->Allocate(sizeof sent, MemoryKind::kBuffer);
  device->CopyFromHost(there, sent, sizeof sent, *stream);
  device->CopyToHost(received, there, sizeof sent, *stream);
  EXPECT_EQ(received[2], 3.0f);
  device->Free(there);
}

TEST(Devices, UnknownNameListsWhatThereIs) {
  PoisonedMemory memory;
  try {
    MakeDevice("tpu", memory);
    FAIL() << "accepted";
  } catch (const Unimplemented& refusal) {
    EXPECT_STREQ(refusal.what(), "device tpu is not in this build; this build has: host");
  }
}

}  // namespace
}  // namespace zerocts
