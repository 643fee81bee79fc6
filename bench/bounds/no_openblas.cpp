// A build without OpenBLAS.
#include "bench/bounds/peers.hpp"

namespace zerocts {

bool HasOpenBlas() { return false; }
void OpenBlasGemm(int, GemmLayout, float*, const float*, const float*, int64_t, int64_t, int64_t) {}

}  // namespace zerocts
