#include <cstring>

#include "impl/comm/direct/copy_past_caches.hpp"

namespace zerocts::engine {

void CopyPastCaches(void* out, const void* in, int64_t bytes) { std::memcpy(out, in, static_cast<size_t>(bytes)); }

}  // namespace zerocts::engine
