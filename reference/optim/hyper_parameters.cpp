#include "reference/optim/hyper_parameters.hpp"

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<OptimizerKind> kOptimizerNames[] = {{OptimizerKind::kSgd, "sgd"},
                                                       {OptimizerKind::kAdamW, "adamw"},
                                                       {OptimizerKind::kAdam, "adam"},
                                                       {OptimizerKind::kLamb, "lamb"},
                                                       {OptimizerKind::kMuon, "muon"}};

}  // namespace

std::vector<std::string> MomentNames(OptimizerKind kind) {
  if (kind == OptimizerKind::kSgd || kind == OptimizerKind::kMuon) return {"momentum"};
  return {"exp_avg", "exp_avg_sq"};
}

std::string ToString(OptimizerKind kind) { return NameOf(kOptimizerNames, kind); }
OptimizerKind OptimizerKindFromString(const std::string& name) { return FromName(kOptimizerNames, "optimizer", name); }

}  // namespace zerocts
