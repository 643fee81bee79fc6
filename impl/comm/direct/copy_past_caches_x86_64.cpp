// Non-temporal stores of SSE2, which every x86-64 has; wider ones are no faster, since memory is the bound.
#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "impl/comm/direct/copy_past_caches.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kLine = 64;

void CopyLine(std::byte* out, const std::byte* in) {
  const auto* from = reinterpret_cast<const __m128i*>(in);
  auto* to = reinterpret_cast<__m128i*>(out);
  const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
  const __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
  _mm_stream_si128(to, a);
  _mm_stream_si128(to + 1, b);
  _mm_stream_si128(to + 2, c);
  _mm_stream_si128(to + 3, d);
}

}  // namespace

void CopyPastCaches(void* out, const void* in, int64_t bytes) {
  auto* to = static_cast<std::byte*>(out);
  const auto* from = static_cast<const std::byte*>(in);
  const int64_t past_a_line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine);
  const int64_t head = std::min(bytes, (kLine - past_a_line) % kLine);
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t done = head;
  for (; done + kLine <= bytes; done += kLine) CopyLine(to + done, from + done);
  std::memcpy(to + done, from + done, static_cast<size_t>(bytes - done));
  _mm_sfence();  // these stores keep no order with later ones by themselves
}

}  // namespace zerocts::engine
