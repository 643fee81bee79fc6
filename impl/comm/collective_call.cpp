#include "impl/comm/collective_call.hpp"

#include <fmt/format.h>

namespace zerocts {

CollectiveCall::CollectiveCall(const CommunicatorSettings& settings, uint64_t sequence, const char* operation,
                               const char* what)
    : settings_(settings),
      sequence_(sequence),
      operation_(operation),
      what_(what),
      started_(Clock::now()),
      deadline_(settings.deadline) {
  settings_.progress(operation_, what_);
}

CollectiveCall::~CollectiveCall() { settings_.progress("compute", what_); }

CollectiveTimeout CollectiveCall::Timeout(const Attendance& attendance) const {
  const double waited = std::chrono::duration<double>(Clock::now() - started_).count();
  std::string text = fmt::format("{} #{} ({}): waited {:.1f} s", operation_, sequence_, what_, waited);
  const auto add = [&](const char* label, const std::vector<int>& ranks) {
    if (!ranks.empty()) text += fmt::format("; {} {}", label, fmt::join(ranks, ","));
  };
  add("arrived", attendance.arrived);
  add("missing", attendance.missing);
  add("gave up", attendance.gave_up);
  return CollectiveTimeout(text);
}

}  // namespace zerocts
