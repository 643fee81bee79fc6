// What sampled elements of an optimizer's state were after a step, against what they are before the next one.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

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
  std::map<std::string, int64_t> counts_;                                    // of steps, by parameter
  std::map<std::tuple<std::string, std::string, int64_t>, float> elements_;  // by parameter, what it is, position
};

}  // namespace zerocts::watch
