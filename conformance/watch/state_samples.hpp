// What sampled elements of an optimizer's state were after a step, against what they are before the next one.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// The state of a rank after one step. A step may have several records, one of each group of parameters.
class StateSamples {
 public:
  void Keep(const UpdateRecord& after);

  /// Counts what it compares; `differs` hears of the first difference of a parameter: its name, and a sentence.
  int64_t Compare(const UpdateRecord& before,
                  const std::function<void(const std::string& name, const std::string& text)>& differs) const;

 private:
  /// An earlier run has thousands of these. A copy is kept too, as only the optimizer holds it.
  struct Part {
    int64_t steps = 0;        // that its state counts; 0: it counts none
    std::vector<int64_t> at;  // ascending
    std::vector<float> copy;
    std::vector<std::vector<float>> moments;
  };
  std::map<std::string, Part> parts_;
};

}  // namespace zerocts::watch
