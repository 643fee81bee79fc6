// Text in memory that threads or processes share: read while it is written, it may be a mixture.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>

namespace zerocts {

/// Text that one thread may write while another one reads it; cut to its room.
template <size_t N>
class SharedText {
 public:
  void Set(const char* text) {
    size_t i = 0;
    for (; text && i < N - 1 && text[i] != '\0'; ++i) bytes_[i].store(text[i], std::memory_order_relaxed);
    bytes_[i].store('\0', std::memory_order_relaxed);
  }
  std::string Get() const {
    std::string text;
    for (const std::atomic<char>& byte : bytes_) {
      const char c = byte.load(std::memory_order_relaxed);
      if (c == '\0') break;
      text += c;
    }
    return text;
  }

 private:
  std::atomic<char> bytes_[N];
};

}  // namespace zerocts
