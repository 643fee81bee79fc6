#include "conformance/host/guarded_pages.hpp"

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
  for (auto& place : guarded) {
    const GuardedPages* free = nullptr;
    if (place.load(std::memory_order_relaxed) == nullptr && place.compare_exchange_strong(free, pages)) return;
  }
}

void Unregister(const GuardedPages* pages) {
  for (auto& place : guarded) {
    if (place.load(std::memory_order_relaxed) != pages) continue;
    place = nullptr;
    return;
  }
}

/// Mappings that this thread had before and gave back: fresh ones cost two calls and a fault per page in each case.
class SpareMappings {
 public:
  ~SpareMappings() {
    for (const auto& [memory, bytes] : spare_) munmap(memory, bytes);
  }
  /// nullptr: none of that size.
  char* Take(size_t bytes) {
    const auto found = std::find_if(spare_.begin(), spare_.end(), [&](const auto& spare) { return spare.second == bytes; });
    if (found == spare_.end()) return nullptr;
    char* memory = found->first;
    spare_.erase(found);
    return memory;
  }
  /// False: it is too large, or there are enough.
  bool Keep(char* memory, size_t bytes) {
    constexpr size_t kMostBytes = 1 << 20, kMost = 16;
    if (bytes > kMostBytes || spare_.size() == kMost) return false;
    if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) return false;
    spare_.emplace_back(memory, bytes);
    return true;
  }

 private:
  std::vector<std::pair<char*, size_t>> spare_;
};
thread_local SpareMappings spare_mappings;

char* Mapped(size_t bytes) {
  if (char* spare = spare_mappings.Take(bytes)) return spare;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

size_t WholePages(size_t bytes) {
  return (bytes + GuardedPages::kPageBytes - 1) / GuardedPages::kPageBytes * GuardedPages::kPageBytes;
}

}  // namespace

GuardedPages::GuardedPages(size_t bytes, RankPage& page)
    : page_(page), begin_(Mapped(WholePages(bytes))), end_(begin_ + WholePages(bytes)) {
  Register(this);
}

GuardedPages::~GuardedPages() {
  Unregister(this);
  const auto bytes = static_cast<size_t>(end_ - begin_);
  if (!spare_mappings.Keep(begin_, bytes)) munmap(begin_, bytes);
}

void GuardedPages::Protect(char* begin, char* end, int protection) {
  if (begin == end) return;
  char* first = begin - static_cast<size_t>(begin - begin_) % kPageBytes;
  if (mprotect(first, WholePages(static_cast<size_t>(end - first)), protection) != 0) throw std::bad_alloc();
}

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
  for (const auto& place : guarded) {
    const GuardedPages* pages = place.load(std::memory_order_relaxed);
    if (pages == nullptr || struck < pages->begin() || struck >= pages->end()) continue;
    pages->page_.MarkDeed(pages->DeedAt(struck));
    return;
  }
}

}  // namespace zerocts
