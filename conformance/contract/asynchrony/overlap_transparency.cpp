#include "conformance/contract/judging.hpp"

namespace zerocts::overlap_transparency {

const Clause kClause{
    .id = "C-ZERO-070",
    .name = "overlap transparency",
    .sentence = "Collectives that run beside forward and backward change no bit.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "The same case with overlap on and off; real training of models and given gradients, with small "
        "buckets. Bits must be equal, and those of the reference.",
    .bugs = {{"The next bucket overwrote the buffer that was still being reduced.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5606"},
             {"The index of alternating buffers was reset too early.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7805"}},
    .essential = {{"overlap"}},
    .features = {"overlap", "model_on_text", "multi_step"},
    .needs = {"prefetch depth"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded});
  space.vary = {"tensor", "buckets", "gradient sync", "overlap", "loss", "steps read"};
  space.finish = UseModelWeights;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  if (!trial.can().overlap) return std::nullopt;
  Case other = c;
  other.overlap = c.overlap == Overlap::kOn ? Overlap::kOff : Overlap::kOn;
  return CompareRuns(c, ranks, other, trial.Observe(other), "overlap, on or off");
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::overlap_transparency
