#include "conformance/host/conductor/wait_notice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace zerocts {

namespace {

double Seconds(RunnableClock::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// A line of progress may stand on the terminal.
const char* FreshLine() { return isatty(STDERR_FILENO) ? "\r\x1b[K" : ""; }

}  // namespace

WaitNotice::WaitNotice(RunnableClock& clock, const Deadline& deadline, std::chrono::milliseconds every)
    : clock_(clock), deadline_(deadline), every_(every) {}

void WaitNotice::Tick(const std::function<WaitedFor()>& waited_for) {
  if (std::chrono::steady_clock::now() < next_) return;
  next_ = After(every_);
  const auto [what, state] = waited_for();
  fmt::print(stderr, "{}waiting for {} ({:.0f} of {:.0f} s){}{}\n", FreshLine(), what,
             Seconds(clock_.Elapsed(deadline_)), Seconds(deadline_.span), state.empty() ? "" : "; ", state);
}

}  // namespace zerocts
