// The story that a rank tells by its events: what it computed, and what it moved for which units of the model.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// Forward or backward of one unit; begin and end are indices of events.
struct Computation {
  int64_t step = 0, begin = 0, end = 0;
  bool backward = false;
  int unit = 0;
  friend bool operator==(const Computation&, const Computation&) = default;
};
std::string TextOf(const Computation& computation);  // "the backward of unit 2"

bool IsReduction(const RankEvent& event);  // a reduce-scatter or all-reduce
bool IsGather(const RankEvent& event);

/// Which units of the case's model compute with what travels in each bucket.
class UnitsOfBuckets {
 public:
  UnitsOfBuckets(const Case& c, const std::vector<int>& bucket_of_parameter);
  int units() const { return units_; }
  bool Has(int bucket) const;
  bool Uses(int unit, int bucket) const;
  /// The one whose backward completes the gradients of a bucket that Has.
  int FirstUnitOf(int bucket) const;
  std::vector<int> buckets() const;  // ascending

 private:
  int units_ = 0;
  std::vector<std::vector<bool>> used_;  // [buckets][units]; no units: nothing travels there
};

/// In the order of their beginnings, of all steps.
std::vector<Computation> ComputationsOf(const std::vector<RankEvent>& events);

/// "" or what cannot be so, whatever the rank did: a computation or a reduction that must have been is missing, one is
/// reported that did not last, a collective is never waited for.
std::string ProblemOfStory(const Case& c, const RankObservation& rank, const UnitsOfBuckets& buckets);

}  // namespace zerocts
