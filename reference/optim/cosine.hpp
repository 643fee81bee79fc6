// cos(pi k / n), correctly rounded: a learning rate may not depend on whose libm computed it.
#pragma once
#include <cstdint>

namespace zerocts {

/// The double nearest to cos(pi * k / n), 0 <= k <= n, 1 <= n <= 2^31. Evaluated with pairs of doubles, about 100 bits,
/// in + - * / and fma alone. Where it is rational (0, 1/2, 1: Niven) it is a double, so no tie has to be broken.
double CosineOfPi(int64_t k, int64_t n);

}  // namespace zerocts
