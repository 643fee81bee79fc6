#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/inputs/one_rank.hpp"
#include "conformance/check/bounded/own_formula.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::self_parity {

const Clause kClause{
    .id = "C-ZERO-059",
    .name = "self parity",
    .sentence =
        "A subject on W ranks has the bits of the same subject on one rank that is given the same global "
        "batches: parameters, optimizer states, norms and losses after every step. A formula of its own moves "
        "parameters against their gradients, as far as the learning rate says.",
    .fidelity = Fidelity::kSelfParity,
    .how =
        "W ranks with K micro-batches, then one rank with W * K: its micro-batch g = rank * K + k is theirs. "
        "With exact gradients every sum has the same bits in any order. Random gradients and models are added "
        "in an order that one rank has too: rank, with one micro-batch a rank, or tree, with 1, 2 or 4. So "
        "what differs is not the sum but what was made of it or what it was made of. No reference is asked: "
        "an optimizer whose formula is not in the table and models in an arithmetic of their own are judged here "
        "alone. On one rank the case is run twice. For a formula that is not in the table more rules hold: the "
        "first update of a parameter with a gradient changes it; no element moves by more than twice what "
        "formulas of the kind of SGD, Adam, LAMB or Muon can give; without decay and clipping each element moves "
        "against what the kind makes of its gradients so far, so a linear loss falls, and for SGD without "
        "momentum and for Adam by 3/4 to 4/3 of what a formula of the kind gives. Of LAMB, and of SGD "
        "with momentum after its first update, how far is not judged. Of Muon the first update of a matrix is "
        "judged, without decay and where no gradient is near 0: the sum of its elements times their gradients is "
        "below 0.",
    .bugs = {{"A fused optimizer on CPUs rounds the elements behind the last full vector otherwise, so where a "
              "shard is cut shows in its bits.",
              "https://github.com/pytorch/pytorch/blob/v2.8.0/aten/src/ATen/native/cpu/FusedAdamKernel.cpp"},
             {"The step count was kept on the last active parameter of a rank and used for all of its dtype.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8471"},
             {"Norms of layers were taken of the pieces that a rank holds.",
              "https://github.com/deepspeedai/DeepSpeed/issues/490"}},
    .essential = {{"several_ranks"}},
    .features = {"adamw", "adam", "accumulation", "multi_step", "uneven", "random_gradients", "model_on_text"},
    .needs = {"an order of ranks that is known by a probe alone"},
    .revision = 6,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb, OptimizerKind::kSgd,
                      OptimizerKind::kMuon};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"momentum",
                "hyper-parameter changes",
                "buffers",
                "mixed precisions",
                "frozen parameters",
                "missing gradients",
                "loss scaling",
                "buckets",
                "mesh",
                "gradient sync",
                "overlap",
                "offload",
                "clipping",
                "loss",
                "steps read"};
  space.finish = UseModelWeights;
  space.keep = AddsAsOnOneRank;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (Contains(trial.can().own_formulas, c.experiment.optimizer)) {
    if (auto finding = CheckOwnFormula(c, ranks)) return finding;
  }
  const Case alone = OnOneRank(c);
  return CompareWithOneRank(c, ranks, alone, trial.Observe(alone));
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::self_parity
