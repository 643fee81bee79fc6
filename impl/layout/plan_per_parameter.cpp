// axonml's shards (by element) and FSDP2's (by row): every parameter is divided among all ranks.
#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {
namespace {

/// item_numel(parameter): the elements that are never divided, at least 1.
template <typename ItemNumel>
Layout PlanByItems(const PlanRequest& request, ItemNumel item_numel) {
  LayoutBuilder builder(request);
  for (const auto& parameters : ParametersOfBuckets(request)) {
    for (int p : parameters) {
      const int64_t begin = builder.position();
      builder.Place(p);
      const int64_t step = CheckedProduct(item_numel(request.parameters[p]), request.shards);
      builder.PadTo(CheckedSum(begin, RoundedUp(builder.numel(p), step)));
      builder.CloseCutInEqualParts();
    }
    if (parameters.empty()) builder.CloseCutInEqualParts();  // a model without parameters
    builder.CloseBucket(parameters);
  }
  return std::move(builder).Done();
}

}  // namespace

Layout PlanPerParameter(const PlanRequest& request) {
  return PlanByItems(request, [](const PlanParameter&) { return int64_t{1}; });
}

Layout PlanPerParameterRows(const PlanRequest& request) {
  return PlanByItems(request, [](const PlanParameter& parameter) {
    return parameter.numel() == 0 ? int64_t{1} : parameter.numel() / parameter.rows();
  });
}

}  // namespace zerocts::engine
