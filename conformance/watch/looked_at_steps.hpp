// Which of the steps that its rank looked at a record is of.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

class LookedAtSteps {
 public:
  /// To be called with each record of a run, in order; counts from 0. Nothing: it is of the run as a whole.
  std::optional<int64_t> Of(const Record& record);

 private:
  struct Rank {
    int64_t step = 0;
    std::set<int64_t> made;  // optimizers that have
  };
  std::map<int, Rank> ranks_;
};

}  // namespace zerocts::watch
