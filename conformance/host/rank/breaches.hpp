// Rules of zerocts_subject.h that a subject broke in a case and that no result of a call shows.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

class Breaches {
 public:
  /// "wrote 4 bytes past the end of ..", and where the rank stood when it was found.
  void Add(const std::string& what, const LastPosition& last_position) {
    if (++count_ == 1) first_ = fmt::format("{}, {}", what, ToString(last_position));
  }
  bool any() const { return count_ > 0; }
  /// The first one, and how many came after it.
  std::string Sentence() const {
    return count_ == 1
               ? first_
               : fmt::format("{}; {} more such finding{} in this case", first_, count_ - 1, count_ == 2 ? "" : "s");
  }

 private:
  std::string first_;
  size_t count_ = 0;
};

}  // namespace zerocts
