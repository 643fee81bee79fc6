// A figure that a verdict may rest on carries who saw it: what the subject says of itself is told, all else is seen.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace zerocts {

/// From the least to the best.
enum class Witness {
  kSubject,  // it tells
  kHost,     // the worker or client that runs the subject counted
  kKernel,   // the operating system counted
};
std::string ToString(Witness witness);  // "subject", "host", "kernel"

struct Figure {
  uint64_t bytes = 0;
  Witness witness = Witness::kSubject;

  bool operator==(const Figure&) const = default;
  std::string Source() const;  // "as it reports", "as the host counted", "as the kernel counted"
};

/// Who saw the figures that a judge compared.
class Evidence {
 public:
  void Add(Witness witness) { best_ = std::max(best_.value_or(witness), witness); }
  bool empty() const { return !best_; }
  Witness best() const { return *best_; }  // not empty
  bool told_alone() const { return best_ == Witness::kSubject; }

 private:
  std::optional<Witness> best_;
};

}  // namespace zerocts
