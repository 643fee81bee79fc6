// Names of optimizers, precisions and links as the numbers that costs are made of.
#pragma once
#include <string>

#include "reference/plan/costs/costs.hpp"

namespace zerocts {

struct CostWords {
  std::string optimizer = "adamw";
  std::string precision, gradients, wire;  // "": as the model says
  int micro_batches = 1;
  bool reduce_each = false, all_reduce = false;
  long bucket = 0;
  std::string link;  // "": no times
};

/// Throws UsageError.
plan::CostNumbers NumbersOf(const CostWords& words);

}  // namespace zerocts
