#include "conformance/host/output_room.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

namespace zerocts {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kUsualBytes = 64 * 1024;  // pages that nobody touches cost nothing
constexpr size_t kPageBytes = GuardedPages::kPageBytes;

/// One page in front of the room and one behind it.
std::unique_ptr<GuardedPages> PagesFor(size_t bytes, RankPage& page) {
  auto pages = std::make_unique<GuardedPages>(std::max(bytes, kUsualBytes) + 2 * kPageBytes, page);
  pages->Protect(pages->begin(), pages->begin() + kPageBytes, PROT_NONE);
  pages->Protect(pages->end() - kPageBytes, pages->end(), PROT_NONE);
  return pages;
}

}  // namespace

char* OutputRoom::TakeBytes(size_t bytes, const std::string& what) {
  const size_t most = bytes + 2 * kCanaryBytes + kAlignment;
  const size_t has = pages_ ? static_cast<size_t>(pages_->end() - pages_->begin()) - 2 * kPageBytes : 0;
  if (most > has) pages_ = PagesFor(most, page_);
  char* const outer_end = pages_->end() - kPageBytes;
  const size_t behind =
      kCanaryBytes + (kAlignment - bytes % kAlignment) % kAlignment;  // the end of the pages is aligned
  char* const end = outer_end - behind;
  char* const begin = end - bytes;
  room_ = {begin - kCanaryBytes, begin, end, outer_end};
  room_.Arm();
  what_ = what;
  pages_->ForgetNames();
  pages_->Name(pages_->begin(), fmt::format("ran far out of {} ({} bytes)", what, bytes));
  return begin;
}

std::string OutputRoom::Overstep() const {
  const std::string overstep = room_.Overstep();
  return overstep.empty() ? "" : fmt::format("{} {} ({} bytes)", overstep, what_, room_.end - room_.begin);
}

}  // namespace zerocts
