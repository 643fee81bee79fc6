// zero_optim_toy's buffer, Megatron-LM's buckets: what is reduced and gathered at once falls into equal parts, as
// collectives with one count for all ranks want it.
#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {

Layout PlanPadded(const PlanRequest& request) {
  LayoutBuilder builder(request);
  const int64_t step = CheckedProduct(request.alignment, request.shards);  // all parts grow by `alignment` at once
  for (const auto& parameters : ParametersOfBuckets(request)) {
    const int64_t begin = builder.position();
    for (int p : parameters) builder.Place(p);
    builder.PadTo(CheckedSum(begin, RoundedUp(builder.position() - begin, step)));
    builder.CloseCutInEqualParts();
    builder.CloseBucket(parameters);
  }
  return std::move(builder).Done();
}

}  // namespace zerocts::engine
