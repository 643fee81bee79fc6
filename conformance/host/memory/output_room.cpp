#include "conformance/host/memory/output_room.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

constexpr size_t kRoomAlignment = 64;
constexpr size_t kUsualBytes = 64 * 1024;  // pages that nobody touches cost nothing

std::string NameOf(size_t bytes, const char* what, int parameter) {
  if (parameter < 0) return fmt::format("the room for {} ({} bytes)", what, bytes);
  return fmt::format("the room for {} of parameter {} ({} bytes)", what, parameter, bytes);
}

}  // namespace

char* OutputRoom::TakeBytes(size_t bytes, const char* what, int parameter) {
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

std::string OutputRoom::Overstep() const {
  const std::string overstep = room_.Overstep();
  return overstep.empty() ? "" : overstep + " " + name_;
}

}  // namespace zerocts
