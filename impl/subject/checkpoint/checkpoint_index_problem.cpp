// What no training can have left in an index, whatever its hash says.
#include <fmt/format.h>

#include <cmath>

#include "impl/subject/checkpoint/checkpoint_index.hpp"
#include "impl/subject/open/open_engine.hpp"
#include "reference/experiment/experiment.hpp"
#include "reference/experiment/problem_sentences.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 53;  // as a number of JSON; the next step has a number too

std::string Between(const std::string& field, int64_t least, int64_t most, int64_t got) {
  return got >= least && got <= most ? "" : Sentence(field, fmt::format("{} to {}", least, most), got);
}

std::string Problem(const Savers& savers, size_t files) {
  const auto [world_size, stage, replicas, tensor, experts] = savers;
  std::string problem = First(Between("saved_by.world_size", 1, kLargestWorld, world_size),
                              Between("saved_by.stage", 0, 3, stage), AtLeastOne("saved_by.replicas", replicas),
                              AtLeastOne("saved_by.tensor", tensor), AtLeastOne("saved_by.experts", experts));
  if (!problem.empty()) return problem;
  if (world_size % replicas != 0) {
    return Sentence("saved_by.replicas", fmt::format("a divisor of {} ranks", world_size), replicas);
  }
  if (world_size / replicas % tensor != 0) {
    return Sentence("saved_by.tensor", fmt::format("a divisor of the {} ranks of a replica", world_size / replicas),
                    tensor);
  }
  if (world_size / replicas % experts != 0) {
    return Sentence("saved_by.experts", fmt::format("a divisor of the {} ranks of a replica", world_size / replicas),
                    experts);
  }
  const auto count = static_cast<int64_t>(files);
  return count == savers.writers() ? "" : Sentence("files", fmt::format("those of {} ranks", savers.writers()), count);
}

std::string Problem(const LossScaleState& state) {
  return First(AboveZero("loss_scale.scale", state.scale),
               Between("loss_scale.good_steps", 0, kMostSteps, state.good_steps),
               Between("loss_scale.patience", 0, kMostSteps, state.patience));
}

/// SGD has no eps, whatever stands there.
std::string Problem(const std::string& field, HyperParameters group, OptimizerKind optimizer) {
  if (optimizer == OptimizerKind::kSgd) group.eps = HyperParameters{}.eps;
  return HyperParameterProblem(field, group);
}

std::string ProductProblem(const std::string& field, double product, int64_t steps) {
  const bool possible = steps == 0 ? product == 1 : product >= 0 && product < 1;
  if (possible) return "";
  const char* expected = steps == 0 ? "1" : "0 or more and less than 1";
  return fmt::format("{}: expected {} after {} steps, got {}", field, expected, steps, product);
}

std::string Problem(const std::string& field, const BetaProducts& products, int64_t steps) {
  return First(Between(field + ".steps", 0, steps, products.steps),
               Between(field + ".momentum_steps", 0, products.steps, products.momentum_steps),
               ProductProblem(field + ".beta1_product", products.beta1, products.steps),
               ProductProblem(field + ".beta2_product", products.beta2, products.steps));
}

}  // namespace

std::string Problem(const CheckpointIndex& index) {
  std::string problem = First(Problem(index.savers, index.files.size()), Between("steps", 0, kMostSteps, index.steps),
                              Problem(index.loss_scale));
  for (size_t i = 0; i < index.groups.size() && problem.empty(); ++i) {
    problem = Problem(fmt::format("groups[{}]", i), index.groups[i], index.optimizer);
  }
  for (const auto& [name, saved] : index.parameters) {
    if (problem.empty()) problem = Problem("parameters." + name, saved.products, index.steps);
  }
  return problem;
}

}  // namespace zerocts::engine
