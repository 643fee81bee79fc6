// Where a subject writes what the host reads: between two canaries, behind which stand pages that nobody may touch.
#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "conformance/host/memory/canary.hpp"
#include "conformance/host/memory/guarded_pages.hpp"

namespace zerocts {

/// What stands where a subject is to write a number.
inline constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

class OutputRoom {
 public:
  /// `page` outlives it.
  explicit OutputRoom(RankPage& page) : page_(page) {}

  /// Room for `count` numbers, each `fill`, aligned to 64 bytes; a canary begins right at its last byte. `what`, of
  /// `parameter` unless that is -1, is what it is for: "values". The room before it is gone.
  template <typename T>
  std::span<T> Take(size_t count, T fill, const char* what, int parameter) {
    const std::span<T> room(reinterpret_cast<T*>(TakeBytes(count * sizeof(T), what, parameter)), count);
    std::fill(room.begin(), room.end(), fill);
    return room;
  }
  /// "", or "wrote 4 bytes past the end of the room for values of parameter 3 (24 bytes)".
  std::string Overstep() const;

 private:
  char* TakeBytes(size_t bytes, const char* what, int parameter);

  RankPage& page_;
  std::unique_ptr<GuardedPages> pages_;
  GuardedRoom room_{};
  std::string name_;
};

}  // namespace zerocts
