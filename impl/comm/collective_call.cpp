#include "impl/comm/collective_call.hpp"

#include <fmt/format.h>

namespace zerocts::engine {

CollectiveCall::CollectiveCall(const CommunicatorSettings& settings, const Group& group, uint64_t sequence,
                               const char* operation, const char* what)
    : settings_(settings),
      group_(group),
      sequence_(sequence),
      operation_(operation),
      what_(what),
      started_(Clock::now()),
      deadline_(settings.deadline) {
  settings_.progress(operation_, what_);
}

CollectiveCall::CollectiveCall(const CollectiveCall& whole, const Group& some)
    : settings_(whole.settings_),
      group_(some),
      sequence_(whole.sequence_),
      operation_(whole.operation_),
      what_(whole.what_),
      started_(whole.started_),
      deadline_(whole.deadline_),
      whole_(false) {}

CollectiveCall::~CollectiveCall() {
  if (whole_) settings_.progress("compute", what_);
}

std::string CollectiveCall::name() const { return fmt::format("{} #{} ({})", operation_, sequence_, what_); }

CollectiveTimeout CollectiveCall::Timeout(const Arrivals& arrivals) const {
  const double waited = std::chrono::duration<double>(Clock::now() - started_).count();
  std::string text = fmt::format("{}: waited {:.1f} s", name(), waited);
  const auto add = [&](const char* label, const std::vector<int>& ranks) {
    std::vector<int> of_world;
    for (int rank : ranks) of_world.push_back(group_.members[rank]);
    if (!ranks.empty()) text += fmt::format("; {} {}", label, fmt::join(of_world, ","));
  };
  add("arrived", arrivals.arrived);
  add("missing", arrivals.missing);
  add("gave up", arrivals.aborted);
  return CollectiveTimeout(text);
}

}  // namespace zerocts::engine
