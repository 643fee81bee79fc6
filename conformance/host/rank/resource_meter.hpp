// What each call of the subject leaves behind, seen from outside of it.
#pragma once
#include <cstdint>
#include <map>
#include <utility>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

struct RankContext;

/// Reads nothing unless the case observes resources.
class ResourceMeter {
 public:
  explicit ResourceMeter(RankContext& context);

  /// All ranks of the process have made the call: where they are threads, one reads what is the process's while the
  /// others stand still.
  void NoteAfter(const CallTime& call);

 private:
  using Kind = std::pair<int, size_t>;  // ZEROCTS_MEMORY_*, bytes

  void ReadProcess(Resources& now) const;
  std::map<Kind, int64_t> BlocksByKind() const;
  void NoteGrown();

  RankContext& context_;
  std::map<Kind, int64_t> steady_blocks_;  // after the first steady step
};

}  // namespace zerocts
