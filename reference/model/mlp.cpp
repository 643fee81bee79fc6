// The character-level MLP: embedding, (linear, GELU) per hidden layer, logits, softmax cross-entropy.
#include <string>
#include <vector>

#include "reference/model/embedding.hpp"
#include "reference/model/gelu.hpp"
#include "reference/model/linear.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/split_cross_entropy.hpp"
#include "reference/model/units.hpp"

namespace zerocts {
namespace {

/// E linear layers of one shape, of which a micro-batch goes through one.
class ExpertLinear : public Unit {
 public:
  /// The layer of expert e is named NAME.expertE, with E = e.
  ExpertLinear(const std::string& name, const LinearShape& shape, Precision precision, int experts) {
    for (int e = 0; e < experts; ++e) experts_.emplace_back(name + ".expert" + std::to_string(e), shape, precision);
    parameters_of_each_ = experts_.front().parameters().size();
  }

  /// Those of the experts' layers, expert by expert.
  std::vector<UnitParameter> parameters() const override {
    std::vector<UnitParameter> all;
    for (size_t e = 0; e < experts_.size(); ++e) {
      for (UnitParameter& parameter : experts_[e].parameters()) {
        parameter.expert = static_cast<int>(e);
        all.push_back(std::move(parameter));
      }
    }
    return all;
  }
  float* Forward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* in) override {
    return experts_[batch.expert].Forward(ops, batch, parameters + FirstParameterOf(batch.expert), in);
  }
  float* Backward(Ops& ops, const MicroBatch& batch, const float* const* parameters, float* const* gradients,
                  float* upstream) override {
    const size_t first = FirstParameterOf(batch.expert);
    return experts_[batch.expert].Backward(ops, batch, parameters + first, gradients + first, upstream);
  }

 private:
  size_t FirstParameterOf(int expert) const { return static_cast<size_t>(expert) * parameters_of_each_; }

  std::vector<Linear> experts_;
  size_t parameters_of_each_;
};

}  // namespace

Units MlpUnits(const MlpSpec& spec, Precision precision, const LayerMaker& maker) {
  Units units;
  units.push_back(maker.MakeEmbedding("embedding", {spec.vocab, spec.context, spec.embedding, spec.vocab_parallel}));
  int64_t width = spec.context * spec.embedding;
  auto split = TensorSplit::kOutputs;
  const auto append_linear = [&](const std::string& name, int64_t outputs, bool gather_output, int experts = 1) {
    const LinearShape shape{
        .I = width, .O = outputs, .split = split, .order = spec.slice_order, .gather_output = gather_output};
    units.push_back(experts == 1 ? maker.MakeLinear(name, shape, precision)
                                 : std::make_unique<ExpertLinear>(name, shape, precision, experts));
    width = outputs;
    split = split == TensorSplit::kOutputs ? TensorSplit::kInputs : TensorSplit::kOutputs;
  };
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    const bool column_parallel = split == TensorSplit::kOutputs;
    const bool is_last = i + 1 == spec.hidden.size();
    append_linear("hidden" + std::to_string(i), spec.hidden[i], false, is_last ? spec.experts : 1);
    units.push_back(std::make_unique<Gelu>(column_parallel ? maker.OwnNumel(spec.hidden[i]) : spec.hidden[i]));
  }
  const bool split_logits = spec.vocab_parallel && split == TensorSplit::kOutputs;
  append_linear("logits", spec.vocab, !split_logits);
  if (split_logits) {
    units.push_back(maker.MakeCrossEntropy({1, spec.vocab, spec.slice_order.slices}));
  } else {
    units.push_back(std::make_unique<SoftmaxCrossEntropy>(1, spec.vocab));
  }
  return units;
}

}  // namespace zerocts
