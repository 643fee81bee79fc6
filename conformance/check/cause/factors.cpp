#include "conformance/check/cause/factors.hpp"

#include <fmt/ranges.h>

#include <cmath>

namespace zerocts {

int ExpertsBeside(const Experiment& experiment, int parameter) {
  return experiment.experts.ExpertOf(parameter) == Experts::kDense ? 1 : experiment.experts.count;
}

std::vector<Factor> FactorsOf(int world_size, int micro_batches, int replicas, int experts) {
  const double W = world_size, K = micro_batches, R = replicas, S = W / R, E = experts;
  std::vector<Factor> factors = {
      {W * K, "W * K", "a sum instead of the mean"},
      {W, "W", "not divided by the number of ranks, or counted by each"},
      {K, "K", "not divided by the number of micro-batches"},
      {1 / W, "1 / W", "divided by the number of ranks twice, or only one rank counted"},
      {1 / K, "1 / K", "divided by the number of micro-batches twice, or only one of them counted"},
      {1 / (W * K), "1 / (W * K)", "divided twice"},
      {1 / (W * K * W * K), "1 / (W * K)^2", "divided three times"},
      {std::sqrt(W), "sqrt(W)", "every rank's squares counted again"},
      {2, "2", "counted twice"},
      {0.5, "1 / 2", "half of it is missing"},
      {-1, "-1", "the sign is turned"},
  };
  if (R > 1 && S > 1) {
    factors.push_back({R, "R", "not divided by the number of replicas"});
    factors.push_back({S, "S", "not divided by the ranks of a sharding group"});
    factors.push_back({1 / R, "1 / R", "divided by the number of replicas twice"});
    factors.push_back({1 / S, "1 / S", "divided by the ranks of a sharding group twice"});
  }
  if (E > 1 && E < W) {
    factors.push_back({E, "E", "divided by the micro-batches of the expert's own ranks"});
    factors.push_back({1 / E, "1 / E", "divided by the number of experts too"});
  }
  std::erase_if(factors, [](const Factor& factor) { return factor.value == 1; });
  return factors;
}

std::vector<std::string> TextsOf(const std::vector<Factor>& factors) {
  std::vector<std::string> texts;
  for (const Factor& factor : factors) texts.push_back(factor.name + ": " + factor.meaning);
  return texts;
}

std::string TextOf(const std::vector<Factor>& factors) {
  return fmt::format("{}", fmt::join(TextsOf(factors), ", or as well "));
}

}  // namespace zerocts
