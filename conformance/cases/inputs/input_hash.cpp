#include "conformance/cases/inputs/input_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "conformance/cases/inputs/given_gradient.hpp"
#include "conformance/cases/inputs/rank_inputs.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {

struct InputHasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

InputHasher::InputHasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->xxh); }

InputHasher::~InputHasher() = default;

void InputHasher::Add(std::span<const float> values) {
  std::array<uint32_t, 1024> bits;
  while (!values.empty()) {
    const auto chunk = values.first(std::min(values.size(), bits.size()));
    std::transform(chunk.begin(), chunk.end(), bits.begin(), CanonicalBits);
    XXH3_128bits_update(state_->xxh, bits.data(), chunk.size_bytes());
    values = values.subspan(chunk.size());
  }
}

void InputHasher::Add(std::span<const int32_t> tokens) {
  XXH3_128bits_update(state_->xxh, tokens.data(), tokens.size_bytes());
}

std::string InputHasher::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

namespace {

class HashingVisitor : public InputVisitor {
 public:
  explicit HashingVisitor(const Case& c) : repeats_after_(RepeatsGradients(c) ? FirstStep(c) : c.experiment.steps) {}
  void Initial(std::span<const float> values) override { hasher_.Add(values); }
  void Gradient(const MicroBatchPosition& position, int, std::span<const float> values) override {
    if (position.step <= repeats_after_) hasher_.Add(values);
  }
  void NoGradient(const MicroBatchPosition&, int) override {}
  void Batches(const MicroBatchPosition&, const Batch& batch) override {
    hasher_.Add(batch.inputs);
    hasher_.Add(batch.targets);
  }
  std::string Hex() const { return hasher_.Hex(); }

 private:
  const int64_t repeats_after_;
  InputHasher hasher_;
};

}  // namespace

std::string InputHash(const Case& c, int rank) {
  HashingVisitor visitor(c);
  VisitInputs(c, rank, visitor);
  return visitor.Hex();
}

}  // namespace zerocts
