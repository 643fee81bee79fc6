#include "impl/tensor_parallel/split_columns.hpp"

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

void SplitColumns::Take(Ops& ops, float* own, const float* full, int64_t rows) const {
  const int64_t m = columns_ / parts_;  // parts of rows stand one after the other
  for (int64_t part = 0; part < rows * parts_; ++part) {
    ops.Copy(own + part * own_.numel(), full + part * m + own_.begin, own_.numel() * kFloatBytes);
  }
}

void SplitColumns::Gather(Ops& ops, float* full, const float* own, int64_t rows, const char* what) {
  const int64_t m = columns_ / parts_;
  Cuts cuts;
  for (int64_t part = 0; part < rows * parts_; ++part) {
    std::vector<int64_t>& cut = cuts.emplace_back();
    for (int rank = 0; rank < group_.size(); ++rank) {
      cut.push_back(part * m + PartOfElements(m, rank, group_.size()).begin);
    }
    cut.push_back(part * m + m);
  }
  const int64_t widest = (m + group_.size() - 1) / group_.size();  // that any rank has of a part
  float* window = group_.Window(rows * parts_ * widest);
  ops.Copy(window, own, rows * this->own() * kFloatBytes);
  group_.Gather(full, window, cuts, what);
}

}  // namespace zerocts::engine
