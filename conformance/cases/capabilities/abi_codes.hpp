// Codes of zerocts_subject.h that more than one field takes.
#pragma once
#include <cstdint>
#include <stdexcept>

#include "conformance/abi/zerocts_subject.h"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

// One code per enumerator; a switch without default, so that the compiler names one that is forgotten.

inline uint32_t CodeOf(Precision precision) {
  switch (precision) {
    case Precision::kFp32: return ZEROCTS_FP32;
    case Precision::kBf16: return ZEROCTS_BF16;
  }
  throw std::logic_error("Precision out of range");
}

}  // namespace zerocts
