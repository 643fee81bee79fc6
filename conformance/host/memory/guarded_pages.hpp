// Whole pages of which a subject may not touch all. A rank that does dies of it, and its page says what was touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/system/page_bytes.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

class GuardedPages {
 public:
  enum class Ends { kOpen, kClosed };  // kClosed: nobody may touch the first page and the last one

  /// At least so many bytes, readable and writable, of any content. `page` outlives them. Throws std::bad_alloc.
  GuardedPages(size_t bytes, RankPage& page, Ends ends = Ends::kOpen);
  ~GuardedPages();
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  char* begin() const { return begin_; }
  char* end() const { return end_; }
  /// `protection` as of mprotect, of all pages that [begin, end) touches; not with closed ends.
  void Protect(char* begin, char* end, int protection);

  /// What a subject does that dies at `begin` or behind it, up to the next offset that has a name: "wrote to the
  /// gradient of parameter 3, which it is given const". Offsets are named in ascending order.
  void Name(const char* begin, std::string deed);
  void ForgetNames() { names_.clear(); }

  /// Counts all that this process has, and those that were given back and kept for the next.
  static int64_t BytesOfProcess();

 private:
  friend void MarkStruck(const void* address);
  const char* DeedAt(const char* address) const;

  RankPage& page_;
  const Ends ends_;
  bool is_protected_ = false;  // somewhere between the ends
  char *begin_, *end_;
  std::vector<std::pair<const char*, std::string>> names_;
};

/// For a handler of SIGSEGV: marks the page of the rank whose guarded pages `address` lies in, if it lies in any.
void MarkStruck(const void* address);

}  // namespace zerocts
