// Whole tensors of the host, cut to what a tensor rank has.
#pragma once
#include <cstddef>
#include <vector>

#include "impl/tensor_parallel/parameter_part.hpp"

namespace zerocts::engine {

class OwnValues {
 public:
  /// `whole` stays the caller's while this is used: a part that is the whole is not copied.
  OwnValues(const std::vector<const float*>& whole, const std::vector<ParameterPart>& parts) : pointers_(whole) {
    for (size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].is_whole()) continue;
      std::vector<float>& own = copies_.emplace_back(parts[p].numel());
      CopyFromWhole(parts[p], sizeof(float), whole[p], own.data());
      pointers_[p] = own.data();
    }
  }

  const std::vector<const float*>& pointers() const { return pointers_; }

 private:
  std::vector<std::vector<float>> copies_;
  std::vector<const float*> pointers_;
};

}  // namespace zerocts::engine
