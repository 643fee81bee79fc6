// What the host gives to a subject as const: on pages that nobody can write to while the subject may look at them.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "conformance/host/memory/guarded_pages.hpp"

namespace zerocts {

class ConstPages {
 public:
  /// `page` outlives them.
  explicit ConstPages(RankPage& page) : page_(page) {}

  /// Room for the host to fill before Seal, aligned to 64 bytes. `what`: "the gradient of parameter 3". Lives
  /// as long as these pages.
  template <typename T>
  std::span<T> Take(size_t count, const std::string& what) {
    static_assert(alignof(T) <= kAlignment);
    return {reinterpret_cast<T*>(TakeBytes(count * sizeof(T), what)), count};
  }
  template <typename Range>
  auto Copy(const Range& values, const std::string& what) {
    const std::span from(values);
    using T = std::remove_const_t<typename decltype(from)::element_type>;
    const std::span<T> to = Take<T>(from.size(), what);
    std::copy(from.begin(), from.end(), to.begin());
    return to;
  }
  const char* CopyText(const std::string& text, const std::string& what) {
    return Copy(std::span(text.c_str(), text.size() + 1), what).data();
  }

  /// From here on the host may write no more than the subject may, until Open.
  void Seal();
  void Open();

 private:
  static constexpr size_t kAlignment = 64;
  struct Chunk {
    Chunk(size_t bytes, RankPage& page) : pages(bytes, page), free(pages.begin()) {}
    size_t room() const { return static_cast<size_t>(pages.end() - free); }
    GuardedPages pages;
    char* free;
  };

  char* TakeBytes(size_t bytes, const std::string& what);
  void ProtectAll(int protection);

  RankPage& page_;
  bool sealed_ = false;
  std::vector<std::unique_ptr<Chunk>> chunks_;
};

}  // namespace zerocts
