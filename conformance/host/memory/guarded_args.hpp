// The arguments of one call, in which results come back, between two canaries.
#pragma once
#include <cstddef>
#include <string>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/memory/canary.hpp"

namespace zerocts {

template <typename Args>
class GuardedArgs {
 public:
  GuardedArgs() {
    Room().Arm();
    args()->struct_size = sizeof(Args);
  }
  explicit GuardedArgs(zerocts_engine* engine) : GuardedArgs() { args()->engine = engine; }
  GuardedArgs(const GuardedArgs&) = delete;
  GuardedArgs& operator=(const GuardedArgs&) = delete;

  Args* operator->() { return args(); }
  Args* args() { return &layout_.args; }
  /// As of GuardedRoom.
  std::string Overstep() { return Room().Overstep(); }

 private:
  struct Layout {
    char before[kCanaryBytes];
    Args args;
    char after[kCanaryBytes];
  };
  static_assert(offsetof(Layout, after) == kCanaryBytes + sizeof(Args), "the canary begins at the last byte");

  GuardedRoom Room() {
    return {layout_.before, layout_.before + kCanaryBytes, layout_.after, layout_.after + kCanaryBytes};
  }

  Layout layout_{};
};

}  // namespace zerocts
