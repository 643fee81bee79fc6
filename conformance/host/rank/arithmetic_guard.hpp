// Code of others runs in here; what it does to the arithmetic of the thread is undone and told.
#pragma once
#include <string>

#include "conformance/host/rank/arithmetic_state.hpp"

namespace zerocts {

class ArithmeticGuard {
 public:
  ArithmeticGuard() = default;
  ~ArithmeticGuard() { Restore(); }
  ArithmeticGuard(const ArithmeticGuard&) = delete;
  ArithmeticGuard& operator=(const ArithmeticGuard&) = delete;

  /// As DescribeChange says it.
  std::string Restore() {
    const ArithmeticState now = CurrentArithmetic();
    if (now == before_) return "";
    SetArithmetic(before_);
    return DescribeChange(before_, now);
  }

 private:
  const ArithmeticState before_ = CurrentArithmetic();
};

}  // namespace zerocts
