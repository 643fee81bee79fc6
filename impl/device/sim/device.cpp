#include "impl/device/sim/device.hpp"

#include <cstring>
#include <thread>

#include "impl/device/queued_stream.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::microseconds;

/// Looks at the clock where a sleep would take much longer than it should, and so would a yield to another process.
void HoldUp(std::chrono::duration<double, std::micro> time) {
  using Clock = std::chrono::steady_clock;
  constexpr microseconds kShortestSleep{50};
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  if (time >= kShortestSleep) std::this_thread::sleep_until(end);
  while (Clock::now() < end) continue;
}

void FillWithNaN(const Overwritten& o) {
  if (o.bytes > 0) std::memset(o.memory, 0xff, static_cast<size_t>(o.bytes));
}

class SimStream : public QueuedStream {
 public:
  SimStream(SimMemory& memory, SimDelay delay, uint64_t stream)
      : QueuedStream([delay = std::move(delay), stream,
                      operation = uint64_t{0}](const std::vector<Overwritten>& overwritten) mutable {
          for (const Overwritten& o : overwritten) FillWithNaN(o);
          delay(stream, operation++);
        }),
        memory_(memory) {}

  void Synchronize() override {
    QueuedStream::Synchronize();
    memory_.CheckFreed();
  }

 private:
  SimMemory& memory_;
};

}  // namespace

microseconds DrawSimDelay(uint64_t seed, uint64_t stream, uint64_t operation) {
  const auto draw = [&](uint64_t which, uint64_t bound) {
    return RandomBelow(seed, Stream({stream, which}), operation, bound);
  };
  const uint64_t chance = draw(0, 1000);
  if (chance < 8) return microseconds(100 + draw(1, 901));
  if (chance < 140) return microseconds(1 + draw(1, 20));
  return microseconds(0);
}

SimDelay RandomSimDelay(uint64_t seed, double scale) {
  return [=](uint64_t stream, uint64_t operation) {
    const microseconds time = DrawSimDelay(seed, stream, operation);
    if (time.count() > 0 && scale > 0) HoldUp(time * scale);
  };
}

std::unique_ptr<DeviceStream> SimDevice::MakeStream(StreamRole) {
  return std::make_unique<SimStream>(memory_, delay_, streams_++);
}

void SimDevice::Poison(void* memory, int64_t bytes) { FillWithNaN({memory, bytes}); }

void SimDevice::CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) {
  stream.ops().Copy(device, host, bytes);
}

void SimDevice::CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) {
  stream.ops().Copy(host, device, bytes);
}

std::unique_ptr<Device> MakeSimDevice(MemorySource& memory, const DeviceSettings& settings) {
  return std::make_unique<SimDevice>(memory, settings);
}

}  // namespace zerocts::engine
