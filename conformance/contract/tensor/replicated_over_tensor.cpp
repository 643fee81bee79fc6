#include <map>
#include <tuple>

#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/finding/sentences.hpp"
#include "conformance/contract/judging.hpp"
#include "conformance/contract/tensor/split_models.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::replicated_over_tensor {

const Clause kClause{
    .id = "C-ZERO-121",
    .name = "replicated over tensor ranks",
    .sentence =
        "What every tensor rank has, embeddings, norms and biases of row-parallel layers, keeps the same bits on all "
        "of them: parameters, master weights, moments and mean gradients.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "Several steps of an MLP and a GPT. Every parameter is read on every rank, and every state on the ranks that "
        "own "
        "it; owners of the same element must have the same bits. No reference is asked.",
    .bugs = {{"Gradients of the final norm were not added over tensor ranks, which held different ones.",
              "https://github.com/NVIDIA/Megatron-LM/issues/1446"},
             {"A norm's weight is replicated, but its gradient was a partial sum.",
              "https://github.com/NVIDIA/Megatron-LM/issues/7452"},
             {"Hooks that add the norms' gradients were lost, and then averaged in place of adding.",
              "https://github.com/EleutherAI/gpt-neox/pull/1259"},
             {"Weights of norms on different tensor ranks drifted apart.",
              "https://github.com/NVIDIA/TransformerEngine/issues/441"}},
    .essential = {{"tensor"}},
    .features = {"tensor", "tensor_shards", "multi_step", "adamw"},
};

/// One state of one parameter after one step, as its first owners showed it.
struct Shown {
  std::vector<float> values;
  std::vector<int> owners;  // of each element; -1: nobody yet
};

class Owners {
 public:
  explicit Owners(const Case& c) : c_(c) {}

  /// Does this owner have the bits of those before it?
  std::optional<Finding> Compare(int rank, const TensorRecord& record) {
    Shown& shown = shown_[{record.step, record.what, record.parameter}];
    if (shown.values.empty()) {
      const auto numel = static_cast<size_t>(c_.experiment.parameters[static_cast<size_t>(record.parameter)].numel());
      shown = {std::vector<float>(numel), std::vector<int>(numel, -1)};
    }
    for (size_t i = 0; i < record.values.size(); ++i) {
      const size_t element = static_cast<size_t>(record.interval.begin) + i;
      const float got = record.values[i];
      if (shown.owners[element] < 0) {
        shown.owners[element] = rank;
        shown.values[element] = got;
      }
      if (CanonicalBits(shown.values[element]) == CanonicalBits(got)) continue;
      return Found(
          fmt::format("ranks {} and {} own element {} of {}, and have {:.9g} and {:.9g} {}: expected the same bits",
                      shown.owners[element], rank, element, TensorName(c_.experiment, record.what, record.parameter),
                      shown.values[element], got, InStep(record.step)));
    }
    return std::nullopt;
  }

 private:
  const Case& c_;
  std::map<std::tuple<int64_t, std::string, int>, Shown> shown_;
};

std::optional<Finding> CheckOwnersAgree(const Case& c, const Observations& ranks) {
  Owners owners(c);
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      if (ClassOf(record.what) == TensorClass::kParameter) continue;
      if (auto finding = owners.Compare(rank.rank, record)) return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckAgreement(c, ranks)) return finding;
  return CheckOwnersAgree(c, ranks);
}

/// Inexact models have the same bits on every rank, too.
CaseSpace Space() {
  CaseSpace space = SplitModels();
  space.or_bounded = space.optimizers;
  return space;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::replicated_over_tensor
