#include "impl/tensor_parallel/split_columns.hpp"

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

void SplitColumns::Take(Ops& ops, float* own, const float* full, int64_t rows) const {
  const int64_t m = columns_ / parts_;  // parts of rows stand one after the other
  for (int64_t part = 0; part < rows * parts_; ++part) {
    ops.Copy(own + part * own_.numel() * width_, full + (part * m + own_.begin) * width_,
             own_.numel() * width_ * kFloatBytes);
  }
}

Cuts SplitColumns::CutsOf(int64_t rows) const {
  const int64_t m = columns_ / parts_;
  Cuts cuts;
  for (int64_t part = 0; part < rows * parts_; ++part) {
    std::vector<int64_t>& cut = cuts.emplace_back();
    for (int rank = 0; rank < group_.size(); ++rank) {
      cut.push_back((part * m + PartOfElements(m, rank, group_.size()).begin) * width_);
    }
    cut.push_back((part * m + m) * width_);
  }
  return cuts;
}

void SplitColumns::Gather(Ops& ops, float* full, const float* own, int64_t rows, const char* what) {
  float* window = group_.Window(rows * most() * width_);
  ops.Copy(window, own, rows * this->own() * width_ * kFloatBytes);
  group_.Gather(full, window, CutsOf(rows), what);
}

}  // namespace zerocts::engine
