// Did the compiler fuse a * b + c in the file that includes this? Static, so that each file answers for its own flags.
#pragma once

namespace zerocts {

[[maybe_unused]] static bool ContractsProductAndSum() {
  // factor^2 is 0x1.002p0 + 2^-24, a tie that rounds to 0x1.002p0.
  volatile float factor = 0x1.001p0f, minus_square = -0x1.002p0f;
  const float a = factor, b = factor, c = minus_square;
  return a * b + c != 0.0f;
}

}  // namespace zerocts
