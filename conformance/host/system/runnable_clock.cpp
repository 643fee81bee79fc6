#include "conformance/host/system/runnable_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace zerocts {

namespace {

constexpr double kWorthSaying = 1.1;
constexpr std::chrono::milliseconds kAndAtLeast{100};
constexpr std::chrono::milliseconds kShortestSleep{1};  // else a starved wait halves what is left for ever

}  // namespace

RunnableClock::RunnableClock(Waited waited, Wall wall)
    : waited_(std::move(waited)), wall_(std::move(wall)), looked_(wall_()) {}

/// What passed since the last look counts in full until somebody looks: Passed does.
RunnableTime RunnableClock::Now() {
  if (wall_() - looked_ >= kTick) Look();
  return counted_ + (wall_() - looked_);
}

bool RunnableClock::Passed(RunnableTime time) {
  if (Now() < time) return false;
  Look();
  return counted_ >= time;
}

void RunnableClock::Look() {
  const SteadyTime now = wall_();
  const duration elapsed = now - looked_, seen = std::max(elapsed - late_, duration(0));
  counted_ += std::clamp(elapsed - waited_(), seen / kMostStretch, seen);
  looked_ = now;
  late_ = duration(0);
}

SteadyTime RunnableClock::SleepUntil(RunnableTime time) {
  const duration left = time - Now();
  return wall_() + (left > duration(0) ? std::clamp<duration>(left, kShortestSleep, kTick) : duration(0));
}

void RunnableClock::Woke(SteadyTime due) { late_ = std::max<duration>(late_, wall_() - due); }

std::string RunnableClock::Stretch(const Deadline& deadline) const {
  const std::chrono::duration<double> taken = wall_() - deadline.begun, span = deadline.span;
  if (taken < kWorthSaying * span + kAndAtLeast) return "";
  return fmt::format("; {:g} s of time in which the ranks could run took {:.1f} s", span.count(), taken.count());
}

}  // namespace zerocts
