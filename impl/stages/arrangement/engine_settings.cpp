#include "impl/stages/arrangement/engine_settings.hpp"

#include <fmt/format.h>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

std::string ProblemOfParameters(const EngineSettings& settings) {
  for (size_t p = 0; p < settings.parameters.size(); ++p) {
    const auto& [spec, precision, tied_to, buffer, expert] = settings.parameters[p];
    if (tied_to < 0) continue;
    if (tied_to >= static_cast<int>(p) || !settings.parameters[tied_to].has_storage()) {
      return fmt::format("parameter {} is tied to parameter {}: expected one before it that has storage of its own", p,
                         tied_to);
    }
    if (spec.shape != settings.parameters[tied_to].spec.shape) {
      return fmt::format("parameters {} and {} are tied, but have different shapes", tied_to, p);
    }
    if (precision != settings.parameters[tied_to].precision) {
      return fmt::format("parameters {} and {} are tied, but have different dtypes: expected one, of the storage",
                         tied_to, p);
    }
    if (expert != settings.parameters[tied_to].expert) {
      return fmt::format("parameters {} and {} are tied, but are not of the same expert", tied_to, p);
    }
    if (buffer) return fmt::format("parameter {} is tied and a buffer: expected one of both", p);
    if (settings.model) return "tied parameters of a model are the model's own: expected no tied_to beside a model";
  }
  return "";
}

std::string ProblemOfMatrices(const EngineSettings& settings) {
  if (settings.optimizer.kind != OptimizerKind::kMuon) return "";
  for (const EngineParameter& parameter : settings.parameters) {
    if (parameter.buffer || parameter.spec.shape.size() == 2) continue;
    return fmt::format("parameter {} has the shape [{}]: expected two dimensions, for muon moves matrices",
                       parameter.spec.name, fmt::join(parameter.spec.shape, ","));
  }
  return "";
}

std::string NameOfExpert(int expert) { return expert < 0 ? "no expert" : fmt::format("expert {}", expert); }

std::string ProblemOfModel(const EngineSettings& settings) {
  if (!settings.model) return "";
  const std::vector<ParameterSpec> expected = ModelParameters(*settings.model);
  const std::vector<EngineParameter>& got = settings.parameters;
  if (got.size() != expected.size()) {
    return fmt::format("the model has {} parameters, but {} were given", expected.size(), got.size());
  }
  if (settings.experts != ExpertCountOf(*settings.model)) {
    return fmt::format("experts is {}, but the model's own layers have {}", settings.experts,
                       ExpertCountOf(*settings.model));
  }
  const std::vector<int> experts = ModelExperts(*settings.model);
  for (size_t p = 0; p < got.size(); ++p) {
    if (got[p].spec.name != expected[p].name || got[p].spec.shape != expected[p].shape) {
      return fmt::format("parameter {} of the model is {} [{}], but {} [{}] was given", p, expected[p].name,
                         fmt::join(expected[p].shape, ","), got[p].spec.name, fmt::join(got[p].spec.shape, ","));
    }
    if (got[p].expert != experts[p]) {
      return fmt::format("parameter {} ({}) is of {}, but in the model of {}", p, expected[p].name,
                         NameOfExpert(got[p].expert), NameOfExpert(experts[p]));
    }
    if (settings.precision == Precision::kBf16 && got[p].precision == Precision::kFp32) {
      return fmt::format("parameter {} is fp32, but the model computes in bf16: expected bf16", p);
    }
  }
  return "";
}

std::string ProblemOfTensorRanks(const EngineSettings& settings, int world_size) {
  const int tensor = settings.tensor, ranks_of_replica = world_size / settings.replicas;
  if (tensor < 1 || ranks_of_replica % tensor != 0) {
    return fmt::format("tensor is {}: expected a divisor of the {} ranks of a replica", tensor, ranks_of_replica);
  }
  if (tensor == 1) return "";
  if (!settings.model) {
    return fmt::format("tensor is {}, and gradients are given: expected a model, whose layers tensor ranks split",
                       tensor);
  }
  if (settings.reduction_order == "ring") {
    return fmt::format(
        "tensor is {}, and the reduction order is ring, which begins at an element's owner: expected rank or tree, for "
        "what is replicated over tensor ranks has an owner for each",
        tensor);
  }
  const SliceOrder& order = SliceOrderOf(*settings.model);
  if (order.slices % tensor != 0) {
    return fmt::format("tensor is {}, and the model adds in {}: expected slices that it divides", tensor,
                       ToString(order));
  }
  return "";
}

std::string ProblemOfExperts(const EngineSettings& settings, int world_size) {
  const int experts = settings.experts;
  if (experts < 1 || world_size % experts != 0) {
    return fmt::format("experts is {}: expected a divisor of world_size {}", experts, world_size);
  }
  if (world_size / settings.replicas % experts != 0) {
    return fmt::format("experts is {}, and there are {} replicas: expected a divisor of the {} ranks of each", experts,
                       settings.replicas, world_size / settings.replicas);
  }
  if (experts == 1 && settings.expert_divisor != DivisorOfExperts::kWorld) {
    return "the mean of experts divides by the micro-batches of their own ranks, and experts is 1: expected more";
  }
  for (const EngineParameter& parameter : settings.parameters) {
    if (parameter.expert < 0) continue;
    if (experts == 1 || parameter.expert >= experts) {
      return fmt::format("parameter {} is of expert {}, and experts is {}: expected fewer, or no expert",
                         parameter.spec.name, parameter.expert, experts);
    }
    if (parameter.buffer)
      return fmt::format("parameter {} is an expert's and a buffer: expected one of both", parameter.spec.name);
  }
  return "";
}

}  // namespace

int64_t ElementBytes(Precision precision) { return precision == Precision::kBf16 ? kBf16Bytes : kFloatBytes; }

std::string Problem(const EngineSettings& settings, int world_size) {
  if (settings.stage < 0 || settings.stage > 3) return fmt::format("stage is {}: expected 0..3", settings.stage);
  if (settings.replicas < 1 || world_size % settings.replicas != 0) {
    return fmt::format("replicas is {}: expected a divisor of world_size {}", settings.replicas, world_size);
  }
  if (const std::string problem = ProblemOfTensorRanks(settings, world_size); !problem.empty()) return problem;
  if (settings.bucket_cap_bytes < 0) {
    return fmt::format("bucket_cap_bytes is {}: expected 0 or more", settings.bucket_cap_bytes);
  }
  if (settings.offload != OffloadMode::kNone && settings.stage == 0) {
    return "offload needs a shard to keep on the host: expected stage 1 or higher, got stage 0";
  }
  if (const std::string problem = ProblemOfExperts(settings, world_size); !problem.empty()) return problem;
  if (const std::string problem = ProblemOfParameters(settings); !problem.empty()) return problem;
  const std::string problem = ProblemOfMatrices(settings);
  return problem.empty() ? ProblemOfModel(settings) : problem;
}

}  // namespace zerocts::engine
