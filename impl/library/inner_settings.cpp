#include "impl/library/inner_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace zerocts::library {
namespace {

void RequireMesh(const Mesh& mesh, int world_size) {
  if (mesh.shards == 0 || mesh.replicas * mesh.shards == world_size) return;
  throw std::invalid_argument(fmt::format("the mesh has {} replicas of {} shards: expected {} ranks, got {}",
                                          mesh.replicas, mesh.shards, mesh.replicas * mesh.shards, world_size));
}

void RequireSensible(const EngineSettings& settings) {
  if (settings.micro_batches < 1) {
    throw std::invalid_argument(fmt::format("micro_batches is {}: expected at least 1", settings.micro_batches));
  }
  if (!(settings.clip_epsilon >= 0)) {
    throw std::invalid_argument(
        fmt::format("clip_epsilon is {}: expected a number that is not negative", settings.clip_epsilon));
  }
}

engine::OffloadMode Inner(Offload offload) {
  switch (offload) {
    case Offload::kParameters: return engine::OffloadMode::kParams;
    case Offload::kFull: return engine::OffloadMode::kFull;
    case Offload::kNone: break;
  }
  return engine::OffloadMode::kNone;
}

/// That of buckets' capacity: bf16 where all are.
zerocts::Precision UsualPrecision(const std::vector<Parameter>& parameters) {
  const auto narrow = [](const Parameter& parameter) { return parameter.precision == Precision::kBf16; };
  return !parameters.empty() && std::ranges::all_of(parameters, narrow) ? zerocts::Precision::kBf16
                                                                        : zerocts::Precision::kFp32;
}

/// The same members of the other type.
template <class To, class From>
To Translated(const From& values) {
  return {.lr = values.lr,
          .weight_decay = values.weight_decay,
          .momentum = values.momentum,
          .beta1 = values.beta1,
          .beta2 = values.beta2,
          .eps = values.eps,
          .dampening = values.dampening,
          .nesterov = values.nesterov};
}

}  // namespace

void RequireGroup(const std::string& who, int group, size_t groups) {
  if (group >= 0 && group < static_cast<int64_t>(groups)) return;
  throw std::invalid_argument(fmt::format("{} is in group {}: expected one of {} groups", who, group, groups));
}

void RequireMaxNorm(float max_norm) {
  if (max_norm >= 0) return;
  throw std::invalid_argument(fmt::format("max_norm is {}: expected 0 (no clipping) or a positive number", max_norm));
}

zerocts::Precision Inner(Precision precision) {
  return precision == Precision::kBf16 ? zerocts::Precision::kBf16 : zerocts::Precision::kFp32;
}

zerocts::OptimizerKind Inner(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd: return zerocts::OptimizerKind::kSgd;
    case OptimizerKind::kAdamW: return zerocts::OptimizerKind::kAdamW;
    case OptimizerKind::kAdam: return zerocts::OptimizerKind::kAdam;
    case OptimizerKind::kLamb: return zerocts::OptimizerKind::kLamb;
    case OptimizerKind::kMuon: return zerocts::OptimizerKind::kMuon;
  }
  throw std::invalid_argument("the optimizer is none of OptimizerKind");
}

zerocts::HyperParameters Inner(const HyperParameters& values) { return Translated<zerocts::HyperParameters>(values); }

HyperParameters Outer(const zerocts::HyperParameters& values) { return Translated<HyperParameters>(values); }

std::vector<zerocts::HyperParameters> Inner(const std::vector<HyperParameters>& groups) {
  std::vector<zerocts::HyperParameters> inner;
  std::ranges::transform(groups, std::back_inserter(inner), [](const HyperParameters& group) { return Inner(group); });
  return inner;
}

engine::EngineParameter Inner(const Parameter& parameter) {
  for (const int64_t dimension : parameter.shape) {
    if (dimension >= 0) continue;
    throw std::invalid_argument(
        fmt::format("parameter {} has dimension {}: expected at least 0", parameter.name, dimension));
  }
  engine::EngineParameter inner;
  inner.spec.name = parameter.name;
  inner.spec.shape = parameter.shape;
  inner.spec.group = parameter.group;
  inner.precision = Inner(parameter.precision);
  return inner;
}

engine::EngineSettings Inner(const EngineSettings& settings, int world_size) {
  RequireMesh(settings.mesh, world_size);
  RequireMaxNorm(settings.max_norm);
  RequireSensible(settings);
  engine::EngineSettings inner;
  inner.stage = settings.stage;
  inner.replicas = settings.mesh.replicas;
  inner.plan = settings.plan;
  inner.bucket_cap_bytes = settings.bucket_bytes;
  inner.offload = Inner(settings.offload);
  inner.overlap = settings.overlap;

  for (const Parameter& parameter : settings.parameters) {
    RequireGroup(fmt::format("parameter {}", parameter.name), parameter.group, settings.groups.size());
    inner.parameters.push_back(Inner(parameter));
  }
  inner.precision = UsualPrecision(settings.parameters);

  inner.micro_batches = settings.micro_batches;
  inner.reduction_order = settings.reduction_order;
  inner.accumulation = Inner(settings.accumulation);
  inner.reduction = Inner(settings.reduction);
  inner.sum_gradients = settings.gradients == GradientReduction::kSum;

  inner.optimizer = Inner(settings.optimizer);
  inner.groups = Inner(settings.groups);
  inner.max_norm = settings.max_norm;
  inner.clip_epsilon = settings.clip_epsilon;
  return inner;
}

}  // namespace zerocts::library
