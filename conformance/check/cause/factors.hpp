// By which factor is a number wrong, and what went wrong then? Numbers of ranks and micro-batches are the suspects.
#pragma once
#include <string>
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

struct Factor {
  double value = 1;
  std::string name;     // "K"
  std::string meaning;  // "not divided by the number of micro-batches"
};

/// How many experts there are where one of them has the parameter; else 1.
int ExpertsBeside(const Experiment& experiment, int parameter);

/// All that are not 1, the likeliest first. With W data ranks in R replicas of S ranks each, and K micro-batches; of a
/// parameter that one of E experts has.
std::vector<Factor> FactorsOf(int world_size, int micro_batches, int replicas, int experts = 1);

/// Factors that are the same number here, such as W * K and K on one rank, all explain it: which it is, only another
/// case can tell.
template <typename Explains>
std::vector<Factor> FactorsThat(Explains explains, int world_size, int micro_batches, int replicas, int experts = 1) {
  std::vector<Factor> found;
  for (const Factor& factor : FactorsOf(world_size, micro_batches, replicas, experts)) {
    if (explains(factor.value)) found.push_back(factor);
  }
  return found;
}

/// "K: not divided by the number of micro-batches" of each.
std::vector<std::string> TextsOf(const std::vector<Factor>& factors);

/// "K: not divided by the number of micro-batches, or as well W * K: .."; "" of none.
std::string TextOf(const std::vector<Factor>& factors);

}  // namespace zerocts
