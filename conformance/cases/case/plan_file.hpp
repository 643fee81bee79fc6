// A plan file through which ranks train: `zerocts check --plan file:PATH`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts {

inline constexpr std::string_view kFilePrefix = "file:";
inline constexpr int64_t kMostElementsOfPlanFile = int64_t{1} << 20;

/// Does Case::plan name a file?
bool IsPlanFile(const std::string& plan);

/// What a plan file says of a case that trains through it.
struct FilePlan {
  std::string name;  // Case::plan: "file:/plans/uneven.json"
  int stage = 1, world_size = 1, replicas = 1;
  std::vector<ParameterSpec> parameters;
  std::vector<std::vector<std::vector<Interval>>> owned;  // [shards][parameters]; ascending, none touches the next
  std::vector<int> frozen;                                // parameters, in every step
  std::vector<TiedParameter> tied;

  /// Does the plan say who owns it? Of a frozen parameter there is no state that it divides before stage 3.
  bool SaysOwnersOf(int parameter) const;
};

/// Expects a sound plan. Throws std::invalid_argument with a sentence for one that no case can train through: it
/// divides no optimizer state, divides states of a tensor differently, has no tensor that is trained, numbers its ranks
/// otherwise than cases do, or has more than kMostElementsOfPlanFile elements.
FilePlan FilePlanOf(const std::string& name, const plan::Plan& plan);

/// The plan in the file that `name` says, as by FilePlanOf. Also throws where the file cannot be read.
FilePlan LoadFilePlan(const std::string& name);

/// Has the case the ranks and the parameters of the file, frozen and tied as there? Groups, precisions and optimizers
/// are free, and what is trained may be frozen in some steps.
bool Fits(const Case& c, const FilePlan& file);

/// What the file has frozen is frozen in all steps of the experiment.
void AddFrozen(const FilePlan& file, Experiment& e);

/// A case of the file's ranks and parameters, otherwise as usual.
Case CaseThrough(const FilePlan& file);

}  // namespace zerocts
