// Random programs over three streams of the sim, with exactly the waits that they need, give the bits of the same
// program run at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/device/sim/device.hpp"
#include "reference/numerics/floats_for_test.hpp"

namespace zerocts::engine {
namespace {

constexpr int kStreams = 3, kBuffers = 5, kSteps = 24;
constexpr int64_t kRows = 5, kColumns = 7, kStride = 9;
constexpr int64_t kProgramNumel = kRows * kStride, kProgramBytes = kProgramNumel * static_cast<int64_t>(sizeof(float));

/// One operation: `out` and `in` are different buffers, `third` is any.
struct Step {
  enum Kind { kUpload, kCopy, kFill, kScale, kAdd, kFold, kGemm, kGelu, kRun, kDownload, kRenew, kKinds } kind;
  int stream, out, in, third;
  float value;
};

Step DrawStep(uint64_t program, uint64_t step) {
  const auto draw = [&](uint64_t which, uint64_t bound) {
    return static_cast<int>(RandomBelow(program, Stream({1, which}), step, bound));
  };
  Step drawn{static_cast<Step::Kind>(draw(0, Step::kKinds)),
             draw(1, kStreams),
             draw(2, kBuffers),
             0,
             draw(4, kBuffers),
             RandomUniform(program, 2, step)};
  drawn.in = (drawn.out + 1 + draw(3, kBuffers - 1)) % kBuffers;
  return drawn;
}

/// A buffer and who last used it.
struct Used {
  float* values = nullptr;
  Event written;
  std::vector<Event> read;
};

class Program {
 public:
  Program(Device& device, uint64_t number) : device_(device), number_(number) {
    for (auto& stream : streams_) stream = device.MakeStream(StreamRole::kCommunication);
    for (Used& buffer : buffers_) {
      Allocate(buffer);
      const float* source = initial_.data();
      Perform(*streams_[0], {&buffer}, {},
              [&](DeviceStream& s) { device_.CopyFromHost(buffer.values, source, kProgramBytes, s); });
    }
  }

  std::vector<uint32_t> Run() {
    for (uint64_t step = 0; step < kSteps; ++step) Perform(DrawStep(number_, step));
    for (int b = 0; b < kBuffers; ++b) Perform({Step::kDownload, b % kStreams, 0, b, 0, 0});
    for (auto& stream : streams_) stream->Synchronize();
    std::vector<float> all;
    for (const auto& download : downloads_) all.insert(all.end(), download->begin(), download->end());
    for (Used& buffer : buffers_) device_.Free(buffer.values);
    return CanonicalBitsOf(all);
  }

 private:
  void Allocate(Used& buffer) {
    buffer.values = static_cast<float*>(device_.Allocate(kProgramBytes, MemoryKind::kBuffer));
  }

  /// `enqueue` between the waits that it needs and the events that others will need.
  template <typename Enqueue>
  void Perform(DeviceStream& stream, std::vector<Used*> writes, std::vector<Used*> reads, const Enqueue& enqueue) {
    for (Used* buffer : reads) stream.WaitFor(buffer->written);
    for (Used* buffer : writes) {
      stream.WaitFor(buffer->written);
      for (const Event& event : buffer->read) stream.WaitFor(event);
    }
    enqueue(stream);
    const Event event = stream.Record();
    for (Used* buffer : reads) buffer->read.push_back(event);
    for (Used* buffer : writes) {
      buffer->written = event;
      buffer->read.clear();
    }
  }

  void Perform(const Step& step) {
    Used &out = buffers_[step.out], &in = buffers_[step.in], &third = buffers_[step.third];
    DeviceStream& stream = *streams_[step.stream];
    switch (step.kind) {
      case Step::kUpload:
        return Perform(stream, {&out}, {},
                       [&](DeviceStream& s) { device_.CopyFromHost(out.values, initial_.data(), kProgramBytes, s); });
      case Step::kCopy:
        return Perform(stream, {&out}, {&in},
                       [&](DeviceStream& s) { s.ops().Copy(out.values, in.values, kProgramBytes); });
      case Step::kFill:
        return Perform(stream, {&out}, {},
                       [&](DeviceStream& s) { s.ops().Fill(out.values, step.value, kProgramNumel); });
      case Step::kScale:
        return Perform(stream, {&out}, {},
                       [&](DeviceStream& s) { s.ops().Scale(out.values, step.value, kProgramNumel); });
      case Step::kAdd:
        return Perform(stream, {&out}, {&in},
                       [&](DeviceStream& s) { s.ops().Add(out.values, in.values, kProgramNumel); });
      case Step::kFold:
        return Perform(stream, {&out}, {&in, &third}, [&](DeviceStream& s) {
          const std::vector<const float*> leaves = {in.values, third.values, in.values};
          s.ops().FoldLeaves(out.values, RankFold(3, 1), leaves, 3.0f, kProgramNumel);
        });
      case Step::kGemm:
        return Perform(stream, {&out}, {&in}, [&](DeviceStream& s) {
          const ConstMatrix bounded{initial_.data(), kStride};
          s.ops().GemmNT({out.values, kStride}, {in.values, kStride}, bounded, kRows, kRows, kColumns, Operands::kFp32);
        });
      case Step::kGelu: {
        Used& tanh = &third == &in ? out : third;
        Used& gelu = &tanh == &out ? in : out;
        return Perform(stream, {&gelu, &tanh}, {&in},
                       [&](DeviceStream& s) { s.ops().Gelu(gelu.values, tanh.values, in.values, kProgramNumel); });
      }
      case Step::kRun:
        return Perform(stream, {&out}, {&in}, [&](DeviceStream& s) {
          s.Run([a = out.values, b = in.values] { std::copy_n(b, kProgramNumel, a); }, {{out.values, kProgramBytes}});
        });
      case Step::kDownload:
        downloads_.push_back(std::make_unique<std::vector<float>>(kProgramNumel));
        return Perform(stream, {}, {&in}, [&](DeviceStream& s) {
          device_.CopyToHost(downloads_.back()->data(), in.values, kProgramBytes, s);
        });
      case Step::kRenew:  // while other streams go on with other buffers
        for (const Event& event : out.read) Await(event);
        Await(out.written);
        device_.Free(out.values);
        Allocate(out);
        out.written = nullptr;
        out.read.clear();
        return Perform(stream, {&out}, {},
                       [&](DeviceStream& s) { s.ops().Fill(out.values, step.value, kProgramNumel); });
      case Step::kKinds: FAIL() << "no kind";
    }
  }

  static void Await(const Event& event) {
    if (event) event->Synchronize();
  }

  Device& device_;
  const uint64_t number_;
  const std::vector<float> initial_ = OrdinaryFloats(kProgramNumel, number_);
  std::array<Used, kBuffers> buffers_;
  std::vector<std::unique_ptr<std::vector<float>>> downloads_;
  std::array<std::unique_ptr<DeviceStream>, kStreams> streams_;  // the last: their threads use the others
};

std::vector<uint32_t> BitsOf(const std::string& device_name, uint64_t number) {
  PoisonedMemory memory;
  const auto device = MakeDevice(device_name, memory, {.seed = number});
  return Program(*device, number).Run();
}

TEST(RandomPrograms, OnTheSimHaveTheBitsOfTheHost) {
  int with_nan = 0;
  for (uint64_t number = 0; number < 1000; ++number) {
    const std::vector<uint32_t> expected = BitsOf("host", number);
    with_nan += std::any_of(expected.begin(), expected.end(), [](uint32_t bits) { return std::isnan(FromBits(bits)); });
    ASSERT_EQ(BitsOf("sim", number), expected) << "program " << number;
  }
  EXPECT_EQ(with_nan, 0);  // else a value that nobody wrote could pass for a right one
}

}  // namespace
}  // namespace zerocts::engine
