// cos(pi k / n), correctly rounded: a learning rate may not depend on whose libm computed it.
#pragma once
#include <cstdint>

namespace zerocts {

/// The double nearest to cos(pi * k / n), 0 <= k <= n, 1 <= n <= 2^31. Evaluated with pairs of doubles, 2^-95 off at
/// most, in + - * / and fma alone; exact at 0, 1/3, 1/2, 2/3 and 1, the only fractions where it is rational (Niven), so
/// that no tie is left to luck.
double CosineOfPi(int64_t k, int64_t n);

}  // namespace zerocts
