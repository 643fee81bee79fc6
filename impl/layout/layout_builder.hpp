// How every plan makes its layout: parameters are placed, padding is left, cuts and buckets are closed, from the
// beginning of the flat buffer to its end.
#pragma once
#include <utility>
#include <vector>

#include "impl/layout/plans.hpp"

namespace zerocts::engine {

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const PlanRequest& request);

  int64_t numel(int parameter) const { return layout_.numel[parameter]; }
  int64_t position() const { return position_; }  // where the next parameter or padding goes

  void Place(int parameter);
  /// Padding up to `position`, at or behind position().
  void PadTo(int64_t position) { position_ = position; }
  /// From where the last one ended: part s ends at ends[s]. The last cut before a bucket is closed ends at position().
  void CloseCut(const std::vector<int64_t>& ends);
  void CloseCutInEqualParts();
  /// The cuts since the last bucket, which hold `parameters`, ascending.
  void CloseBucket(std::vector<int> parameters);

  Layout Done() && { return std::move(layout_); }

 private:
  const int shards_;
  Layout layout_;
  int64_t position_ = 0, cut_begin_ = 0;
};

}  // namespace zerocts::engine
