// Large memory in large pages, where the system gives them: a sum over several ranks' buffers walks many pages at once,
// and so does a rank that copies from another process. Only advice; nothing depends on it.
#pragma once
#include <cstdint>

namespace zerocts::engine {

inline constexpr int64_t kHugePage = int64_t{2} << 20;

/// To be called before the memory is first written.
void AdviseHugePages(void* memory, int64_t bytes);

/// To be called when it is written: joins its pages where the system gives no huge ones to shared memory by itself.
void JoinIntoHugePages(void* memory, int64_t bytes);

}  // namespace zerocts::engine
