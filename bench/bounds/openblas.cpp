// OpenBLAS as a peer.
#include <cblas.h>

#include "bench/bounds/peers.hpp"

namespace zerocts {

bool HasOpenBlas() { return true; }

void OpenBlasGemm(int threads, GemmLayout layout, float* c, const float* a, const float* b, int64_t M, int64_t N,
                  int64_t K) {
  openblas_set_num_threads(threads);
  const bool a_is_transposed = layout == GemmLayout::kTN, b_is_transposed = layout == GemmLayout::kNT;
  cblas_sgemm(CblasRowMajor, a_is_transposed ? CblasTrans : CblasNoTrans, b_is_transposed ? CblasTrans : CblasNoTrans,
              static_cast<int>(M), static_cast<int>(N), static_cast<int>(K), 1.0f, a,
              static_cast<int>(a_is_transposed ? M : K), b, static_cast<int>(b_is_transposed ? K : N), 0.0f, c,
              static_cast<int>(N));
}

}  // namespace zerocts
