// How every plan makes its layout: parameters are placed, padding is left, cuts and buckets are closed, from the
// beginning of the flat buffer to its end.
#pragma once
#include <utility>
#include <vector>

#include "impl/layout/plans.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::engine {

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const PlanRequest& request) : shards_(request.shards) {
    layout_.plan = request.plan;
    for (const PlanParameter& parameter : request.parameters) layout_.numel.push_back(parameter.numel());
    layout_.offset.resize(layout_.numel.size());
  }

  int64_t numel(int parameter) const { return layout_.numel[parameter]; }
  int64_t position() const { return position_; }  // where the next parameter or padding goes

  void Place(int parameter) {
    layout_.offset[parameter] = position_;
    position_ = CheckedSum(position_, numel(parameter));
  }
  /// Padding up to `position`, at or behind position().
  void PadTo(int64_t position) { position_ = position; }
  /// From where the last one ended: part s ends at ends[s]. The last cut before a bucket is closed ends at position().
  void CloseCut(const std::vector<int64_t>& ends) {
    Cut cut = {cut_begin_};
    cut.insert(cut.end(), ends.begin(), ends.end());
    layout_.cuts.push_back(std::move(cut));
    cut_begin_ = ends.back();
  }
  void CloseCutInEqualParts() {
    const int64_t part = (position_ - cut_begin_) / shards_;
    std::vector<int64_t> ends;
    for (int shard = 0; shard < shards_; ++shard) ends.push_back(cut_begin_ + (shard + 1) * part);
    CloseCut(ends);
  }
  /// The cuts since the last bucket, which hold `parameters`, ascending.
  void CloseBucket(std::vector<int> parameters) {
    const int first_cut = layout_.buckets.empty() ? 0 : layout_.buckets.back().end_cut;
    layout_.buckets.push_back({first_cut, static_cast<int>(layout_.cuts.size()), std::move(parameters)});
  }

  Layout Done() && { return std::move(layout_); }

 private:
  const int shards_;
  Layout layout_;
  int64_t position_ = 0, cut_begin_ = 0;
};

}  // namespace zerocts::engine
