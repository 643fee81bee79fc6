#include "impl/device/device.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>
#include <thread>

#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

TEST(HostDevice, CopiesThereAndBackAtOnce) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory);
  const auto stream = device->MakeStream(StreamRole::kCopy);
  const float sent[3] = {1, 2, 3};
  float received[3] = {};
  void* there = device->Allocate(sizeof sent, MemoryKind::kBuffer);
  device->CopyFromHost(there, sent, sizeof sent, *stream);
  device->CopyToHost(received, there, sizeof sent, *stream);
  EXPECT_EQ(received[2], 3.0f);
  device->Free(there);
}

TEST(HostDevice, WithoutOverlapEveryStreamRunsAtOnce) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory);
  for (const StreamRole role : {StreamRole::kCompute, StreamRole::kCommunication, StreamRole::kCopy}) {
    const auto stream = device->MakeStream(role);
    std::thread::id where;
    stream->Run([&] { where = std::this_thread::get_id(); });
    EXPECT_EQ(where, std::this_thread::get_id());
    EXPECT_EQ(stream->Record(), nullptr);
  }
}

TEST(HostDevice, WithOverlapCommunicationGoesOnBesideTheCaller) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory, {.overlap = true});
  const auto compute = device->MakeStream(StreamRole::kCompute);
  const auto communication = device->MakeStream(StreamRole::kCommunication);
  std::latch computed(1);
  float value = 1.0f;
  communication->Run([&] { computed.wait(); });
  communication->ops().Scale(&value, 3.0f, 1);
  const Event communicated = communication->Record();
  bool ran = false;
  compute->Run([&] { ran = true; });  // while communication waits for it
  EXPECT_TRUE(ran);
  computed.count_down();
  compute->WaitFor(communicated);  // in this thread
  EXPECT_EQ(value, 3.0f);
}

TEST(HostDevice, WithOverlapACopyThatWaitsForCommunicationHoldsNobodyUp) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory, {.overlap = true});
  const auto communication = device->MakeStream(StreamRole::kCommunication);
  const auto copy = device->MakeStream(StreamRole::kCopy);
  std::latch computed(1);
  float value = 1.0f, copied = 0.0f;
  communication->Run([&] { computed.wait(); });
  communication->ops().Scale(&value, 3.0f, 1);
  copy->WaitFor(communication->Record());
  device->CopyToHost(&copied, &value, sizeof value, *copy);
  computed.count_down();  // by this thread, after all that was enqueued
  copy->Synchronize();
  EXPECT_EQ(copied, 3.0f);
  EXPECT_FALSE(copy->runs_at_once() || communication->runs_at_once());
  EXPECT_TRUE(device->MakeStream(StreamRole::kCompute)->runs_at_once());
}

TEST(HostDevice, AThrowingOperationSpendsAnInlineStream) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory);
  const auto stream = device->MakeStream(StreamRole::kCompute);
  EXPECT_THROW(stream->Run([] { throw std::domain_error("spent"); }), std::domain_error);
  bool ran = false;
  EXPECT_THROW(stream->Run([&] { ran = true; }), std::domain_error);
  EXPECT_FALSE(ran);
  EXPECT_THROW(stream->Synchronize(), std::domain_error);
  EXPECT_THROW(stream->Record(), std::domain_error);
  EXPECT_THROW(stream->WaitFor(nullptr), std::domain_error);
  EXPECT_THROW(stream->ops(), std::domain_error);
}

TEST(HostDevice, WaitingForASpentStreamSpendsTheInlineOneToo) {
  PoisonedMemory memory;
  const auto device = MakeDevice("host", memory, {.overlap = true});
  const auto compute = device->MakeStream(StreamRole::kCompute);
  const auto communication = device->MakeStream(StreamRole::kCommunication);
  std::latch recorded(1);
  communication->Run([&] {
    recorded.wait();
    throw std::domain_error("spent");
  });
  const Event event = communication->Record();
  recorded.count_down();
  EXPECT_THROW(compute->WaitFor(event), std::domain_error);
  EXPECT_THROW(compute->Synchronize(), std::domain_error);
}

std::string RefusalOf(const std::string& device, const DeviceSettings& settings = {}) {
  PoisonedMemory memory;
  try {
    MakeDevice(device, memory, settings);
  } catch (const Unimplemented& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Devices, AnAbsentOneListsWhatThereIs) {
  const std::string all = HasCuda() ? "host, sim, cuda" : "host, sim";
  EXPECT_EQ(RefusalOf("tpu"), "device tpu is not in this build; this build has: " + all);
}

TEST(Devices, CudaIsThereOrSaysWhyNot) {
  const std::string refusal = RefusalOf("cuda");
  if (!HasCuda()) {
    EXPECT_EQ(refusal, "device cuda is not in this build; this build has: host, sim");
  } else if (!refusal.empty()) {
    EXPECT_EQ(refusal.find("device cuda: no GPU on this machine (cudaGetDeviceCount: "), 0u) << refusal;
  } else {
    EXPECT_EQ(RefusalOf("cuda", {.gpu = 1000}).find("device cuda: GPU 1000 was asked for, but this process sees "), 0u);
  }
}

TEST(Devices, ActivationsAreInNoAccount) {
  struct Nothing : MemorySource {
    void* Allocate(int64_t, MemoryKind) override { throw std::logic_error("counted"); }
    void Free(void*) override { throw std::logic_error("counted"); }
  } nothing;
  for (const std::string name : {"host", "sim"}) {
    const auto device = MakeDevice(name, nothing);
    auto* activations = static_cast<float*>(device->AllocateActivations(12));
    device->Poison(activations, 12);
    EXPECT_NE(activations[2], activations[2]) << name;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(activations) % 64, 0u);
    device->FreeActivations(activations);
  }
}

}  // namespace
}  // namespace zerocts::engine
