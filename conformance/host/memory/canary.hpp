// Bytes on both sides of a room that a subject may write to: a write outside of the room changes them.
#pragma once
#include <cstddef>
#include <string>

namespace zerocts {

inline constexpr size_t kCanaryBytes = 128;

/// A room [begin, end) inside of [outer_begin, outer_end), what is between them being its two canaries: at most
/// kLongestCanaryBytes each.
struct GuardedRoom {
  char *outer_begin, *begin, *end, *outer_end;

  /// Gives the canaries their bytes.
  void Arm() const;
  /// "" when both are as Arm left them; else "wrote 4 bytes past the end of" or "wrote at least 128 bytes before the
  /// beginning of".
  std::string Overstep() const;
};

inline constexpr size_t kLongestCanaryBytes = 2 * kCanaryBytes;

}  // namespace zerocts
