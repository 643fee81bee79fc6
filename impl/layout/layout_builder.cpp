#include "impl/layout/layout_builder.hpp"

#include <utility>

#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {

LayoutBuilder::LayoutBuilder(const PlanRequest& request) : shards_(request.shards) {
  layout_.plan = request.plan;
  for (const PlanParameter& parameter : request.parameters) layout_.numel.push_back(parameter.numel());
  layout_.offset.resize(layout_.numel.size());
}

void LayoutBuilder::Place(int parameter) {
  layout_.offset[parameter] = position_;
  position_ = CheckedSum(position_, numel(parameter));
}

void LayoutBuilder::CloseCut(const std::vector<int64_t>& ends) {
  Cut cut = {cut_begin_};
  cut.insert(cut.end(), ends.begin(), ends.end());
  layout_.cuts.push_back(std::move(cut));
  cut_begin_ = ends.back();
}

void LayoutBuilder::CloseCutInEqualParts() {
  const int64_t part = (position_ - cut_begin_) / shards_;
  std::vector<int64_t> ends;
  for (int shard = 0; shard < shards_; ++shard) ends.push_back(cut_begin_ + (shard + 1) * part);
  CloseCut(ends);
}

void LayoutBuilder::CloseBucket(std::vector<int> parameters) {
  const int first_cut = layout_.buckets.empty() ? 0 : layout_.buckets.back().end_cut;
  layout_.buckets.push_back({first_cut, static_cast<int>(layout_.cuts.size()), std::move(parameters)});
}

}  // namespace zerocts::engine
