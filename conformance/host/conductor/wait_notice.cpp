#include "conformance/host/conductor/wait_notice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace zerocts {

namespace {

double Seconds(std::chrono::steady_clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// A line of progress may stand on the terminal.
const char* FreshLine() { return isatty(STDERR_FILENO) ? "\r\x1b[K" : ""; }

}  // namespace

WaitNotice::WaitNotice(std::chrono::milliseconds deadline, std::chrono::milliseconds every)
    : deadline_(deadline), every_(every) {}

void WaitNotice::Tick(const std::function<WaitedFor()>& waited_for) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + every_;
  const auto [what, state] = waited_for();
  fmt::print(stderr, "{}waiting for {} ({:.0f} of {:.0f} s){}{}\n", FreshLine(), what, Seconds(now - begin_),
             Seconds(deadline_), state.empty() ? "" : "; ", state);
}

}  // namespace zerocts
