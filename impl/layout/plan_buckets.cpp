// Which parameters travel together.
#include <algorithm>

#include "impl/layout/plan_families.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {

std::vector<std::vector<int>> ParametersOfBuckets(const PlanRequest& request) {
  const auto& parameters = request.parameters;
  std::vector<std::vector<int>> buckets = {{}};  // from the last parameter to the first
  int64_t numel = 0;                             // of the bucket that is being filled
  for (int p = static_cast<int>(parameters.size()) - 1; p >= 0; --p) {
    const bool first = buckets.back().empty();
    const bool same_kind = first || parameters[buckets.back().back()].kind == parameters[p].kind;
    const bool fits =
        first || request.bucket_numel == 0 || CheckedSum(numel, parameters[p].numel()) <= request.bucket_numel;
    if (!same_kind || !fits) {
      buckets.emplace_back();
      numel = 0;
    }
    buckets.back().push_back(p);
    numel = CheckedSum(numel, parameters[p].numel());
  }
  for (auto& bucket : buckets) std::reverse(bucket.begin(), bucket.end());
  std::reverse(buckets.begin(), buckets.end());
  return buckets;
}

}  // namespace zerocts::engine
