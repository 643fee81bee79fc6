#include "conformance/session/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "conformance/cases/case/counted.hpp"
#include "conformance/report/terminal/brief_failure.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr const char* kClearLine = "\r\x1b[K";
constexpr size_t kUsualColumns = 80;

size_t Columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

bool IsBad(const std::string& result) {
  return result != "pass" && result != "self_reported" && result != "not_applicable" && result != "expected_failure";
}

}  // namespace

std::string TimeLeft(size_t ended, size_t clauses, double seconds) {
  if (ended == 0 || ended >= clauses) return "";
  const auto left = std::llround(seconds / static_cast<double>(ended) * static_cast<double>(clauses - ended));
  if (left >= 3600) return fmt::format("about {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60);
  return fmt::format("about {}:{:02} left", left / 60, left % 60);
}

std::string ProgressLine(const std::string& counts, const std::string& clause, int64_t cases, size_t bad,
                         const std::string& left, const std::string& where, size_t columns) {
  std::string line = fmt::format("{}{}  {}", counts, clause, Counted(cases, "case"));
  for (const std::string& part : {bad > 0 ? fmt::format("{} failed", bad) : "", left, where}) {
    if (!part.empty()) line += "  " + part;
  }
  return line.substr(0, columns - 1);  // in a line that wraps, only its end would be rewritten
}

Progress::Progress(bool enabled, size_t clauses)
    : enabled_(enabled), terminal_(isatty(STDERR_FILENO) == 1), clauses_(clauses) {}

void Progress::Start(const std::string& clause) {
  clause_ = clause;
  drawn_ = {};
}

void Progress::Update(const std::string& where, int64_t cases) {
  if (!enabled_ || !terminal_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now - drawn_ < kRedraw) return;
  drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string counts = clauses_ > 0 ? fmt::format("[{:>2}/{}] ", ended_ + 1, clauses_) : "";
  Draw(ProgressLine(counts, clause_, cases, bad_, TimeLeft(ended_, clauses_, seconds), where, Columns()));
}

void Progress::Failed(const std::string& where, const std::string& sentence) {
  if (!enabled_ || !terminal_) return;
  const std::lock_guard lock(mutex_);
  if (std::exchange(told_, true)) return;
  Draw(fmt::format("first failure: {} under {}\n{}", clause_, where, Wrap(Printable(CauseOf(sentence)), kColumns, 2)));
}

void Progress::End(const std::string& result, int64_t cases, double seconds) {
  ++ended_;
  bad_ += IsBad(result);
  if (!enabled_) return;
  if (terminal_) {
    Draw("");                               // the next clause takes its place, or the report
  } else if (result != "not_applicable") {  // the report lists those
    fmt::print(stderr, "{:<48} {:>6} cases {:>7.1f} s  {}\n", clause_, cases, seconds, result);
  }
}

void Progress::Draw(const std::string& line) {
  fmt::print(stderr, "{}{}", kClearLine, line);
  std::fflush(stderr);
}

}  // namespace zerocts
