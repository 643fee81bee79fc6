#include "conformance/watch/earlier_run.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <set>

#include "conformance/watch/record_file.hpp"

namespace zerocts::watch {
namespace {

constexpr size_t kMostSteps = 1000;

/// By step: an optimizer within another one has a number of its own.
class EarlierRun {
 public:
  void operator()(const Record& record) {
    std::visit([this](const auto& r) { Take(r); }, record);
  }

  std::map<int64_t, PastStep> StepsThatChanged() {
    std::erase_if(steps_, [this](const auto& step) {
      return std::ranges::includes(initial_, step.second.digests);  // also one without digests
    });
    return std::move(steps_);
  }

 private:
  template <typename Other>
  void Take(const Other&) {}

  void Take(const OptimizerRecord& r) { initial_.insert(r.digests.begin(), r.digests.end()); }

  void Take(const UpdateRecord& r) { steps_[r.at.step].states[r.from.rank].Keep(r); }

  void Take(const StepRecord& r) {
    for (const StepRecord::Part& part : r.parts) {
      if (part.held) steps_[r.at.step].digests.insert(part.digest);
    }
    while (steps_.size() > kMostSteps) steps_.erase(steps_.begin());
  }

  std::set<uint64_t> initial_;  // of parameters before the first step
  std::map<int64_t, PastStep> steps_;
};

}  // namespace

void RememberRun(const std::string& records, ObservedRun& run) {
  if (!std::filesystem::exists(records)) return;
  EarlierRun earlier;
  try {
    ReadRecords(records, [&](const Record& record) { earlier(record); });
  } catch (const std::exception&) {  // of another version, or cut off: steps that it had are no less true
  }
  for (auto& [step, left] : earlier.StepsThatChanged()) run.Remember(std::move(left));
}

}  // namespace zerocts::watch
