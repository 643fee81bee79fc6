// First part of every stream number that an experiment draws from: no two uses share random numbers.
#pragma once
#include <cstdint>

namespace zerocts {

enum RandomUse : uint64_t {
  kDrawInitialValue = 1,
  kDrawCodeBlock,
  kDrawCodeShift,
  kDrawOneHotSource,
  kDrawOneHotSign,
  kDrawPythagorean,
  kDrawUniformGradient,
  kDrawTextPosition,
  kDrawOrderProbe,
};

}  // namespace zerocts
