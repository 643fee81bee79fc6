// A figure that a verdict may rest on carries its source: what the subject says of itself is self-reported, all else is
// measured.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace zerocts {

/// From the least to the best.
enum class FigureSource {
  kSubject,  // self-reported
  kHost,     // the worker or client that runs the subject counted
  kKernel,   // the operating system counted
};
std::string ToString(FigureSource source);  // "subject", "host", "kernel"

struct Figure {
  uint64_t bytes = 0;
  FigureSource source = FigureSource::kSubject;

  bool operator==(const Figure&) const = default;
  std::string SourceInWords() const;  // "as it reports", "as the host counted", "as the kernel counted"
};

/// Who saw the figures that a judge compared.
class Evidence {
 public:
  void Add(FigureSource source) { best_ = std::max(best_.value_or(source), source); }
  /// "/proc/PID/io": what would have made a figure measured.
  void AddUnread(const std::string& name) { unread_.insert(name); }
  const std::set<std::string>& unread() const { return unread_; }
  bool empty() const { return !best_; }
  FigureSource best() const { return *best_; }  // not empty
  bool only_self_reported() const { return best_ == FigureSource::kSubject; }

  /// The verdict would rest on this too, but nobody could see it: "the CPU time of a step".
  void AddNotMeasured(const std::string& what) { not_measured_.insert(what); }
  const std::set<std::string>& not_measured() const { return not_measured_; }

 private:
  std::optional<FigureSource> best_;
  std::set<std::string> unread_;
  std::set<std::string> not_measured_;
};

}  // namespace zerocts
