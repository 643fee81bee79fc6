#include "impl/comm/for_test/device_bodies.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "impl/comm/part_fold.hpp"
#include "impl/comm/parts.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts::engine {
namespace {

/// Memory of the device that is filled from the host and read back by it.
class Mirrored {
 public:
  Mirrored(Communicator& comm, Device& device, DeviceStream& stream, int64_t bytes)
      : comm_(comm),
        device_(device),
        stream_(stream),
        bytes_(bytes),
        memory_(comm.Allocate(bytes, MemoryKind::kGradient)) {}
  ~Mirrored() { comm_.Free(memory_); }
  Mirrored(const Mirrored&) = delete;
  Mirrored& operator=(const Mirrored&) = delete;

  template <class Value>
  void Fill(const std::vector<Value>& values) {
    if (!values.empty()) {
      device_.CopyFromHost(memory_, values.data(), static_cast<int64_t>(values.size() * sizeof(Value)), stream_);
    }
    stream_.Synchronize();
  }
  template <class Value>
  std::vector<Value> Read() {
    std::vector<Value> values(static_cast<size_t>(bytes_) / sizeof(Value));
    if (!values.empty()) device_.CopyToHost(values.data(), memory_, bytes_, stream_);
    stream_.Synchronize();
    return values;
  }
  void* memory() const { return memory_; }

 private:
  Communicator& comm_;
  Device& device_;
  DeviceStream& stream_;
  const int64_t bytes_;
  void* const memory_;
};

std::vector<Cuts> WaysToCutOnDevice(int world_size) {
  std::vector<int64_t> growing = {3};
  for (int rank = 0; rank < world_size; ++rank) growing.push_back(growing.back() + 1001 * rank);
  const int64_t end = growing.back();
  std::vector<int64_t> equal = {end + 5};
  for (int rank = 0; rank < world_size; ++rank)
    equal.push_back(equal.back() + 300001);  // more than a chunk of messages
  return {EqualParts(64 * world_size, world_size), {growing}, {growing, equal}};
}

/// Over many exponents, so that the order of addition shows.
float ContributionOnDevice(int rank, int64_t i) {
  const auto stream = static_cast<uint64_t>(rank), index = static_cast<uint64_t>(i);
  return std::ldexp(RandomUniform(3, stream, index), static_cast<int>(RandomBelow(4, stream, index, 24)) - 12);
}

void CheckReduceScatter(Communicator& comm, Device& device, const Cuts& cuts, const Fold& fold, WireType wire,
                        bool in_place) {
  const auto stream = device.MakeStream(StreamRole::kCommunication);
  const bool narrow = wire == WireType::kBf16;
  const int64_t numel = cuts.back().back();
  Mirrored full(comm, device, *stream, numel * BytesOf(wire));
  Mirrored apart(comm, device, *stream, PartsNumel(cuts, comm.rank()) * 4);
  std::vector<float> wide;
  std::vector<Bf16> rounded;
  for (int64_t i = 0; i < numel; ++i) {
    wide.push_back(ContributionOnDevice(comm.rank(), i));
    rounded.push_back(ToBf16(wide.back()));
  }
  narrow ? full.Fill(rounded) : full.Fill(wide);
  auto* out = static_cast<float*>(in_place ? full.memory() : apart.memory());
  comm.ReduceScatter(out, full.memory(), cuts, {fold, 3}, wire, *stream, "test");
  stream->Synchronize();

  const std::vector<float> sums = in_place ? full.Read<float>() : apart.Read<float>();
  std::vector<float> leaves(static_cast<size_t>(comm.world_size()));
  for (const Part& part : PartsOf(cuts, comm.rank())) {
    for (int64_t i = 0; i < part.numel; ++i) {
      for (int peer = 0; peer < comm.world_size(); ++peer) {
        const float leaf = ContributionOnDevice(peer, part.begin + i);
        leaves[peer] = narrow ? RoundToBf16(leaf) : leaf;
      }
      const float expected = Evaluate(fold, leaves) / 3, got = sums[(in_place ? part.begin : part.packed) + i];
      if (CanonicalBits(expected) == CanonicalBits(got)) continue;
      throw std::runtime_error(fmt::format("reduce_scatter, {} of {}{}, element {}: expected {}, got {}",
                                           ToString(fold), narrow ? "bf16" : "fp32", in_place ? " in place" : "",
                                           part.begin + i, expected, got));
    }
  }
}

void CheckAllGather(Communicator& comm, Device& device, const Cuts& cuts, bool in_place) {
  const auto stream = device.MakeStream(StreamRole::kCommunication);
  const int64_t numel = cuts.back().back();
  const auto value = [](int64_t i) { return static_cast<uint16_t>(i * 40503); };
  Mirrored full(comm, device, *stream, numel * 2), own(comm, device, *stream, PartsNumel(cuts, comm.rank()) * 2);
  std::vector<uint16_t> expected(static_cast<size_t>(numel), 0xffff), in_places = expected, packed;
  for (int rank = 0; rank < comm.world_size(); ++rank) {
    for (const Part& part : PartsOf(cuts, rank)) {
      for (int64_t i = part.begin; i < part.end(); ++i) {
        expected[i] = value(i);
        if (rank != comm.rank()) continue;
        in_places[i] = value(i);
        packed.push_back(value(i));
      }
    }
  }
  if (in_place) full.Fill(in_places);
  own.Fill(packed);
  comm.AllGather(full.memory(), in_place ? full.memory() : own.memory(), cuts, 2, *stream, "test");
  stream->Synchronize();
  if (full.Read<uint16_t>() != expected) {
    throw std::runtime_error(fmt::format("all_gather{}: an element is wrong", in_place ? " in place" : ""));
  }
}

void CheckAllReduceSum(Communicator& comm, Device& device) {
  const auto stream = device.MakeStream(StreamRole::kCommunication);
  std::vector<uint64_t> words(513), expected(513);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = RandomBits(1, static_cast<uint64_t>(comm.rank()), i);
    for (int rank = 0; rank < comm.world_size(); ++rank) expected[i] += RandomBits(1, static_cast<uint64_t>(rank), i);
  }
  comm.AllReduceSum(words.data(), std::ssize(words), *stream, "test");
  stream->Synchronize();
  if (words != expected) throw std::runtime_error("all_reduce: a word is wrong");
}

}  // namespace

void CheckCollectivesOnDevice(Communicator& comm, Device& device) {
  const int world_size = comm.world_size();
  for (const Cuts& cuts : WaysToCutOnDevice(world_size)) {
    for (const Fold& fold : {RankFold(world_size, 1), RingFold(world_size, 1, comm.rank()), TreeFold(world_size, 1)}) {
      CheckReduceScatter(comm, device, cuts, fold, WireType::kFp32, false);
      CheckReduceScatter(comm, device, cuts, fold, WireType::kFp32, true);
      CheckReduceScatter(comm, device, cuts, fold, WireType::kBf16, false);
    }
    CheckAllGather(comm, device, cuts, false);
    CheckAllGather(comm, device, cuts, true);
  }
  CheckAllReduceSum(comm, device);
  comm.Barrier("test");
}

void CheckRingSumsOnDevice(Communicator& comm, Device& device) {
  const int world_size = comm.world_size();
  for (const Cuts& cuts : WaysToCutOnDevice(world_size)) {
    CheckReduceScatter(comm, device, cuts, RingFold(world_size, 1, comm.rank()), WireType::kFp32, true);
    CheckReduceScatter(comm, device, cuts, RingFold(world_size, 1, comm.rank(), Rounding::kBf16), WireType::kBf16,
                       false);
  }
}

}  // namespace zerocts::engine
