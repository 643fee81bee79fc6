#include "conformance/host/memory/guarded_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

namespace zerocts {
namespace {

/// What lives now; a signal handler reads it. Of more than these no crash is named.
std::array<std::atomic<const GuardedPages*>, 1024> guarded{};

void Register(const GuardedPages* pages) {
  for (auto& slot : guarded) {
    const GuardedPages* free = nullptr;
    if (slot.load(std::memory_order_relaxed) == nullptr && slot.compare_exchange_strong(free, pages)) return;
  }
}

void Unregister(const GuardedPages* pages) {
  for (auto& slot : guarded) {
    if (slot.load(std::memory_order_relaxed) != pages) continue;
    slot = nullptr;
    return;
  }
}

size_t WholePages(size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

using Ends = GuardedPages::Ends;

std::atomic<int64_t> bytes_of_process = 0;

char* FreshMapping(size_t bytes, Ends ends) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  bytes_of_process += static_cast<int64_t>(bytes);
  char* const begin = static_cast<char*>(memory);
  if (ends == Ends::kClosed) {
    for (char* page : {begin, begin + bytes - kPageBytes}) mprotect(page, kPageBytes, PROT_NONE);
  }
  return begin;
}

void Unmap(char* memory, size_t bytes) {
  munmap(memory, bytes);
  bytes_of_process -= static_cast<int64_t>(bytes);
}

/// Mappings that this thread had before and gave back: fresh ones cost some calls and a fault per page in each case.
class SpareMappings {
 public:
  ~SpareMappings() {
    for (const Spare& spare : spare_) Unmap(spare.memory, spare.bytes);
  }
  char* Take(size_t bytes, Ends ends) {
    const auto fits = [&](const Spare& spare) { return spare.bytes == bytes && spare.ends == ends; };
    const auto found = std::find_if(spare_.begin(), spare_.end(), fits);
    if (found == spare_.end()) return FreshMapping(bytes, ends);
    char* memory = found->memory;
    spare_.erase(found);
    return memory;
  }
  void Give(char* memory, size_t bytes, Ends ends) {
    constexpr size_t kMostBytes = 1 << 20, kMost = 16;
    if (bytes > kMostBytes || spare_.size() == kMost) {
      Unmap(memory, bytes);
    } else {
      spare_.push_back({memory, bytes, ends});
    }
  }

 private:
  struct Spare {
    char* memory;
    size_t bytes;
    Ends ends;
  };
  std::vector<Spare> spare_;
};
thread_local SpareMappings spare_mappings;

}  // namespace

GuardedPages::GuardedPages(size_t bytes, RankPage& page, Ends ends)
    : page_(page), ends_(ends), begin_(spare_mappings.Take(WholePages(bytes), ends)), end_(begin_ + WholePages(bytes)) {
  Register(this);
}

GuardedPages::~GuardedPages() {
  Unregister(this);
  if (is_protected_) Protect(begin_, end_, PROT_READ | PROT_WRITE);
  spare_mappings.Give(begin_, static_cast<size_t>(end_ - begin_), ends_);
}

void GuardedPages::Protect(char* begin, char* end, int protection) {
  if (begin == end) return;
  char* first = begin - static_cast<size_t>(begin - begin_) % kPageBytes;
  if (mprotect(first, WholePages(static_cast<size_t>(end - first)), protection) != 0) throw std::bad_alloc();
  is_protected_ = (protection & PROT_WRITE) == 0;
}

int64_t GuardedPages::BytesOfProcess() { return bytes_of_process; }

void GuardedPages::Name(const char* begin, std::string deed) { names_.emplace_back(begin, std::move(deed)); }

const char* GuardedPages::DeedAt(const char* address) const {
  const char* deed = "touched memory that is not its own";
  for (const auto& [begin, name] : names_) {
    if (begin <= address) deed = name.c_str();
  }
  return deed;
}

void MarkStruck(const void* address) {
  const char* struck = static_cast<const char*>(address);
  for (const auto& slot : guarded) {
    const GuardedPages* pages = slot.load(std::memory_order_relaxed);
    if (pages == nullptr || struck < pages->begin() || struck >= pages->end()) continue;
    pages->page_.MarkDeed(pages->DeedAt(struck));
    return;
  }
}

}  // namespace zerocts
