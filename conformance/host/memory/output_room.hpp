// Where a subject writes what the host reads: between two canaries, behind which stand pages that nobody may touch.
#pragma once
#include <fmt/format.h>

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
  std::string Overstep() const {
    const std::string overstep = room_.Overstep();
    return overstep.empty() ? "" : overstep + " " + name_;
  }

 private:
  static constexpr size_t kRoomAlignment = 64;
  static constexpr size_t kUsualBytes = 64 * 1024;  // pages that nobody touches cost nothing

  static std::string NameOf(size_t bytes, const char* what, int parameter) {
    if (parameter < 0) return fmt::format("the room for {} ({} bytes)", what, bytes);
    return fmt::format("the room for {} of parameter {} ({} bytes)", what, parameter, bytes);
  }

  char* TakeBytes(size_t bytes, const char* what, int parameter) {
    const size_t most = bytes + 2 * kCanaryBytes + kRoomAlignment;
    const size_t has = pages_ ? static_cast<size_t>(pages_->end() - pages_->begin()) - 2 * kPageBytes : 0;
    if (most > has) {
      pages_ = std::make_unique<GuardedPages>(std::max(most, kUsualBytes) + 2 * kPageBytes, page_,
                                              GuardedPages::Ends::kClosed);
    }
    char* const outer_end = pages_->end() - kPageBytes;
    const size_t behind =
        kCanaryBytes + (kRoomAlignment - bytes % kRoomAlignment) % kRoomAlignment;  // the end of the pages is aligned
    char* const end = outer_end - behind;
    char* const begin = end - bytes;
    room_ = {begin - kCanaryBytes, begin, end, outer_end};
    room_.Arm();
    name_ = NameOf(bytes, what, parameter);
    pages_->ForgetNames();
    pages_->Name(pages_->begin(), "ran far out of " + name_);
    return begin;
  }

  RankPage& page_;
  std::unique_ptr<GuardedPages> pages_;
  GuardedRoom room_{};
  std::string name_;
};

}  // namespace zerocts
