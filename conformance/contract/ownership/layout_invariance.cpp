#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::layout_invariance {

const Clause kClause{
    .id = "C-ZERO-005",
    .name = "layout invariance",
    .sentence = "Bucket size, shard plan, flattening and registration order cannot be seen in the results.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "Each case runs again with buckets of one element, numel - 1, numel, numel + 1, all and twice all "
        "elements, with every declared plan, with neighbouring parameters joined into one and with the "
        "parameters registered in reverse, with replicas and offload, too. Where the parameters are the same, the runs "
        "must have equal "
        "bits; all must have the bits of the reference, which knows no layout.",
    .bugs = {{"Only the whole buffer was padded to a multiple of the ranks, single buckets were not, and "
              "results were wrong.",
              "https://github.com/NVIDIA/Megatron-LM/issues/561"},
             {"Opening a bucket of its own for a shared embedding left the next start index unpadded.",
              "https://github.com/NVIDIA/Megatron-LM/commit/ba8f2defc5"},
             {"A parameter as large as the bucket was never reduced: < stood where <= belongs.",
              "https://github.com/deepspeedai/DeepSpeed/pull/4321"},
             {"Users saw convergence depend on reduce_bucket_size.",
              "https://github.com/deepspeedai/DeepSpeed/issues/6351"}},
    .essential = {{"uneven", "boundary_inside"}},
    .features = {"uneven", "boundary_inside", "multi_group", "multi_step"},
    .needs = {"sub-group size and alignment as options of a case",
              "overlap: reuse of a bucket before its reduction ended"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_steps = 2;
  space.max_micro_batches = 2;
  space.vary = {"mesh", "gradient sync", "offload", "clipping", "loss"};
  space.keep = [](const Case& c) { return IsExact(c.experiment); };  // its runs add in different orders
  return space;
}

/// One element; the largest parameter less one, exactly, and one more; everything; twice everything. In elements,
/// without repetition.
std::set<int64_t> BucketNumels(const Experiment& e) {
  const auto largest = std::ranges::max_element(e.parameters, {}, &ParameterSpec::numel);
  const int64_t numel = largest == e.parameters.end() ? 1 : largest->numel();
  std::set<int64_t> numels = {1, numel - 1, numel, numel + 1, TotalNumel(e), 2 * TotalNumel(e)};
  numels.erase(numels.begin(), numels.upper_bound(0));
  return numels;
}

/// Other arrangements of the same parameters.
std::vector<Variant> Arrangements(const Case& c, const Capabilities& can) {
  std::vector<Variant> variants;
  const uint64_t element_bytes = c.experiment.precision == Precision::kBf16 ? 2 : 4;
  for (int64_t numel : can.bucket_cap_bytes ? BucketNumels(c.experiment) : std::set<int64_t>{}) {
    variants.emplace_back(fmt::format("the bucket size, {} elements", numel), c).c.bucket_cap_bytes =
        element_bytes * numel;
  }
  for (const std::string& plan : can.plans) {
    if (plan != c.plan) variants.emplace_back(fmt::format("the shard plan, {}", plan), c).c.plan = plan;
  }
  return variants;
}

/// Neighbouring parameters of one group as one parameter: the flat sequence of values and gradients stays the same.
Case Joined(Case c) {
  std::vector<ParameterSpec> joined;
  for (const ParameterSpec& parameter : c.experiment.parameters) {
    if (!joined.empty() && joined.back().group == parameter.group) {
      joined.back().shape = {joined.back().numel() + parameter.numel()};
    } else {
      joined.push_back(parameter);
    }
  }
  c.experiment.parameters = std::move(joined);
  return c;
}

Case Reversed(Case c) {
  std::ranges::reverse(c.experiment.parameters);
  return c;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  if (auto finding = SameBitsIn(trial, c, ranks, Arrangements(c, trial.can()))) return finding;
  if (IsPlanFile(c.plan)) return std::nullopt;  // it knows no other parameters
  for (const Variant& variant : {Variant{"neighbouring parameters are joined into one", Joined(c)},
                                 Variant{"the parameters are registered in reverse", Reversed(c)}}) {
    if (variant.c == c) continue;
    auto finding = AgainstReference(trial, variant.c, trial.Observe(variant.c));
    if (finding)
      finding->sentence = fmt::format("right as drawn, wrong when {}: {}", variant.what_differs, finding->sentence);
    if (finding) return finding;
  }
  return std::nullopt;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::layout_invariance
