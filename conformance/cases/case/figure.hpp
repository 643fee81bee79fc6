// A figure that a verdict may rest on carries its source: what the subject says of itself is self-reported, all else is
// measured.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
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
  bool empty() const { return !best_; }
  FigureSource best() const { return *best_; }  // not empty
  bool only_self_reported() const { return best_ == FigureSource::kSubject; }

 private:
  std::optional<FigureSource> best_;
};

}  // namespace zerocts
