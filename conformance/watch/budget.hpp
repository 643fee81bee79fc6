// How often ranks look, so that the witness takes a small part of their CPU time.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

class Budget {
 public:
  static constexpr double kShare = 0.04;  // of the CPU time of a rank

  struct Change {
    int64_t every, from;  // from: a step that no rank has reached
  };
  /// A change that is due once all ranks have made the step.
  std::optional<Change> Take(const StepRecord& step);

 private:
  static constexpr size_t kMeasured = 5;  // looked-at steps that a change rests on
  static constexpr int64_t kAhead = 20;   // steps by which ranks may be apart while the change is on its way
  static constexpr double kWorthIt = 1.25;

  std::map<int64_t, std::vector<double>> shares_;  // of each rank, by step
  std::vector<double> worst_;                      // of the rank that it costs most, of the last steps
  int64_t every_ = 1, valid_from_ = 2;             // the first steps pay for what is done once
};

}  // namespace zerocts::watch
