#include "conformance/cases/input_hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "conformance/cases/given_gradient.hpp"
#include "reference/experiment/data.hpp"
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

std::string InputHash(const Case& c, int rank) {
  const Experiment& experiment = c.experiment;
  InputHasher hasher;
  for (size_t p = 0; p < experiment.parameters.size(); ++p) {
    hasher.Add(InitialValuesOf(experiment, static_cast<int>(p)));
  }
  std::optional<TextCorpus> text;
  if (experiment.gradients == GradientSource::kModel) text = TextCorpus::LoadFor(experiment);
  std::vector<float> gradient;
  for (int64_t step = 0; step < experiment.steps; ++step) {
    for (int k = 0; k < experiment.micro_batches; ++k) {
      const int64_t g = int64_t{rank} * experiment.micro_batches + k;
      if (text) {
        const Batch batch = MakeBatch(experiment, *text, step, g);
        hasher.Add(batch.inputs);
        hasher.Add(batch.targets);
        continue;
      }
      for (size_t p = 0; p < experiment.parameters.size(); ++p) {
        if (IsGivenAsNull(c, static_cast<int>(p), step, g)) continue;
        gradient.resize(static_cast<size_t>(experiment.parameters[p].numel()));
        FillGivenGradient(c, step, g, static_cast<int>(p), gradient.data());
        hasher.Add(gradient);
      }
    }
  }
  return hasher.Hex();
}

}  // namespace zerocts
