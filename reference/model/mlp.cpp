// The character-level MLP: embedding, (linear, GELU) per hidden layer, logits, softmax cross-entropy.
#include <stdexcept>

#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/softmax_cross_entropy.hpp"

namespace zerocts {
namespace {

using Units = std::vector<std::unique_ptr<Unit>>;

Units MlpUnits(const MlpSpec& spec, Precision precision) {
  Units units;
  units.push_back(std::make_unique<Embedding>(spec.vocab, spec.context, spec.embedding));
  int64_t width = spec.context * spec.embedding;
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    units.push_back(std::make_unique<Linear>("hidden" + std::to_string(i), width, spec.hidden[i], precision));
    units.push_back(std::make_unique<Gelu>(spec.hidden[i]));
    width = spec.hidden[i];
  }
  units.push_back(std::make_unique<Linear>("logits", width, spec.vocab, precision));
  units.push_back(std::make_unique<SoftmaxCrossEntropy>(spec.vocab));
  return units;
}

class Mlp : public Model {
 public:
  Mlp(const MlpSpec& spec, Precision precision, Ops& ops)
      : spec_(spec), precision_(precision), ops_(ops), units_(MlpUnits(spec, precision)) {
    for (const auto& unit : units_) {
      first_parameter_.push_back(parameters_.size());
      for (ParameterSpec& parameter : unit->parameters()) parameters_.push_back(std::move(parameter));
    }
  }

  const std::vector<ParameterSpec>& parameters() const override { return parameters_; }

  double ForwardBackward(const std::vector<const float*>& parameters, const std::vector<float*>& gradients,
                         const int32_t* inputs, const int32_t* targets, int64_t batch) override {
    CheckTokens("inputs", inputs, batch * spec_.context);
    CheckTokens("targets", targets, batch);
    const MicroBatch micro_batch{inputs, targets, batch};

    float* activation = nullptr;
    for (size_t u = 0; u < units_.size(); ++u) {
      activation = units_[u]->Forward(ops_, micro_batch, parameters.data() + first_parameter_[u], activation);
    }
    const float* losses = activation;  // [B]

    float* upstream = nullptr;
    for (size_t u = units_.size(); u-- > 0;) {
      const size_t p = first_parameter_[u];
      upstream = units_[u]->Backward(ops_, micro_batch, parameters.data() + p, gradients.data() + p, upstream);
    }
    if (precision_ == Precision::kBf16) {
      for (size_t p = 0; p < gradients.size(); ++p) ops_.RoundToBf16(gradients[p], parameters_[p].numel());
    }
    return Mean(losses, batch);
  }

 private:
  void CheckTokens(const char* what, const int32_t* tokens, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      if (tokens[i] < 0 || tokens[i] >= spec_.vocab) {
        throw std::invalid_argument(std::string(what) + "[" + std::to_string(i) + "]: expected a token from 0 to " +
                                    std::to_string(spec_.vocab - 1) + ", got " + std::to_string(tokens[i]));
      }
    }
  }

  static double Mean(const float* values, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; ++i) sum += values[i];
    return sum / static_cast<double>(count);
  }

  MlpSpec spec_;
  Precision precision_;
  Ops& ops_;
  Units units_;
  std::vector<size_t> first_parameter_;  // of each unit
  std::vector<ParameterSpec> parameters_;
};

}  // namespace

std::vector<ParameterSpec> MlpParameters(const MlpSpec& spec) {
  std::vector<ParameterSpec> parameters;
  for (const auto& unit : MlpUnits(spec, Precision::kFp32)) {
    for (ParameterSpec& parameter : unit->parameters()) parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::unique_ptr<Model> MakeMlp(const MlpSpec& spec, Precision precision, Ops& ops) {
  return std::make_unique<Mlp>(spec, precision, ops);
}

}  // namespace zerocts
