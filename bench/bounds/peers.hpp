// What a figure stands beside, measured in the same run: another library, the arithmetic units, memory.
#pragma once
#include <cstdint>

namespace zerocts {

enum class GemmLayout : int64_t { kNN, kNT, kTN };

/// OpenBLAS, or a file that says that this build has none.
bool HasOpenBlas();
void OpenBlasGemm(int threads, GemmLayout layout, float* c, const float* a, const float* b, int64_t M, int64_t N,
                  int64_t K);

/// Operations per second of one core that does nothing but fp32 fmas in its widest registers; 0 where nobody wrote it.
double FmaPeak();

}  // namespace zerocts
