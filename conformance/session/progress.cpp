#include "conformance/session/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace zerocts {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(bool enabled) : enabled_(enabled), terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::Start(const std::string& clause) {
  clause_ = clause;
  drawn_ = {};
}

void Progress::Update(const std::string& where, int64_t cases) {
  if (!enabled_ || !terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  fmt::print(stderr, "{}{:<44} {:>6} cases  {}", kClearLine, clause_, cases, where);
  std::fflush(stderr);
}

void Progress::End(const std::string& result, int64_t cases, double seconds) {
  if (!enabled_) return;
  fmt::print(stderr, "{}{:<44} {:>6} cases {:>7.1f} s  {}\n", terminal_ ? kClearLine : "", clause_, cases, seconds,
             result);
}

}  // namespace zerocts
