#include "impl/tensor_parallel/split_columns.hpp"

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

SplitColumns::SplitColumns(int64_t columns, const CutParts& parts, TensorGroup& group, int64_t width)
    : columns_(columns), parts_(parts.Of(columns)), group_(group), width_(width) {
  for (const IndexRange& part : parts_) {
    own_ += group.OwnOf(part.numel()).numel();
    most_ += (part.numel() + group.size() - 1) / group.size();
  }
}

void SplitColumns::Take(Ops& ops, float* own, const float* full, int64_t rows) const {
  for (int64_t row = 0; row < rows; ++row, full += columns_ * width_) {
    for (const IndexRange& part : parts_) {
      const IndexRange of_part = group_.OwnOf(part.numel());
      ops.Copy(own, full + (part.begin + of_part.begin) * width_, of_part.numel() * width_ * kFloatBytes);
      own += of_part.numel() * width_;
    }
  }
}

Cuts SplitColumns::CutsOf(int64_t rows) const {
  Cuts cuts;
  for (int64_t row = 0; row < rows; ++row) {
    for (const IndexRange& part : parts_) {
      const int64_t begin = row * columns_ + part.begin;
      std::vector<int64_t>& cut = cuts.emplace_back();
      for (int rank = 0; rank < group_.size(); ++rank) {
        cut.push_back((begin + PartOfElements(part.numel(), rank, group_.size()).begin) * width_);
      }
      cut.push_back((begin + part.numel()) * width_);
    }
  }
  return cuts;
}

void SplitColumns::Gather(Ops& ops, float* full, const float* own, int64_t rows, const char* what) {
  float* window = group_.Window(rows * most() * width_);
  ops.Copy(window, own, rows * this->own() * width_ * kFloatBytes);
  group_.Gather(full, window, CutsOf(rows), what);
}

}  // namespace zerocts::engine
