#include "impl/stages/engine/engine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"
#include "impl/tensor_parallel/parameter_part.hpp"

namespace zerocts::engine {

namespace {

void RequireServedExperts(const EngineSettings& settings) {
  if (settings.experts == 1) return;
  const auto refuse = [&](const std::string& what) {
    throw Unimplemented(fmt::format("experts is {}, {}, which is not in this build", settings.experts, what));
  };
  if (settings.tensor > 1) refuse(fmt::format("and there are {} tensor ranks", settings.tensor));
  if (settings.plan.starts_with("file:")) refuse("and the plan is that of a file");
}

}  // namespace

void RequireServed(const EngineSettings& settings, int world_size) {
  RequireServedExperts(settings);
  if (const std::string problem = Problem(settings, world_size); !problem.empty()) throw std::invalid_argument(problem);
  const std::string& order = settings.reduction_order;
  if (order != "rank" && order != "ring" && order != "tree") {
    throw Unimplemented(fmt::format("reduction order {} is not in this build, which has: rank, ring, tree", order));
  }
}

Engine::Engine(EngineSettings settings, int rank, int world_size, Groups groups, Device& device,
               const std::vector<const float*>& initial, std::optional<Groups> expert_groups)
    : settings_((RequireServed(settings, world_size), std::move(settings))),
      rank_(rank),
      device_(device),
      streams_(device, timeline_.events()),
      position_(settings_.micro_batches),
      loss_scale_(InitialLossScale(settings_.loss_scaling)),
      max_norm_(settings_.max_norm),
      groups_of_parameters_(settings_.groups),
      products_(settings_.parameters.size()),
      frozen_(settings_.parameters.size()) {
  const auto add = [&](Arrangement arrangement, Groups its_groups) {
    classes_.push_back(std::make_unique<ParameterClass>(settings_, std::move(arrangement), its_groups, device_,
                                                        streams_, timeline_, ledger_));
  };
  add(ArrangementOf(settings_, rank, world_size), groups);
  if (settings_.experts > 1) add(ExpertArrangementOf(settings_, rank, world_size), expert_groups.value());
  if (settings_.model) {
    std::vector<ParameterClass*> classes;
    for (const auto& part : classes_) classes.push_back(part.get());
    model_.emplace(classes);
  }
  for (const auto& part : classes_) {
    const OwnValues own(initial, part->arrangement.parts);
    part->stores.optimizer.Load(own.pointers());
    for (int bucket = 0; bucket < part->arrangement.bucket_count(); ++bucket)
      part->stores.parameters->AllGatherParameters(bucket);
    part->stores.buffers.Load(own.pointers(), device, *streams_.compute);
  }
  streams_.Synchronize();
}

/// What is under way still uses the stores; an error that it made has been shown, or nobody asks any more.
Engine::~Engine() {
  try {
    streams_.Synchronize();
  } catch (...) {
  }
}

void Engine::Accumulate(int64_t step, int64_t micro_batch, const std::vector<const void*>& gradients,
                        const HostLoss* loss) {
  if (!dense().stores.given) throw std::invalid_argument("this engine has a model: expected tokens (forward_backward)");
  if (gradients.size() != settings_.parameters.size()) {
    throw std::invalid_argument(fmt::format("{} gradients were given: expected one for each of {} parameters",
                                            gradients.size(), settings_.parameters.size()));
  }
  for (size_t p = 0; p < gradients.size(); ++p) {
    if (!gradients[p]) continue;
    RequireOnThisRank(static_cast<int>(p));
    if (!(frozen_[p] || settings_.parameters[p].buffer)) continue;
    throw std::invalid_argument(fmt::format("parameter {} ({}) is {}: expected no gradient (NULL)", p,
                                            settings_.parameters[p].spec.name, frozen_[p] ? "frozen" : "a buffer"));
  }
  position_.TakeMicroBatch(step, micro_batch);
  for (const auto& part : classes_) {
    std::vector<const void*> own = gradients;
    for (size_t p = 0; p < own.size(); ++p) {
      if (&ClassOf(static_cast<int>(p)) != part.get()) own[p] = nullptr;
    }
    Stores& stores = part->stores;
    stores.given->Accumulate(static_cast<int>(micro_batch), own, loss, loss_scale_.scale, *stores.parameters,
                             stores.gradients);
  }
}

double Engine::ForwardBackward(int64_t step, int64_t micro_batch, const int32_t* inputs, const int32_t* targets,
                               int64_t batch, int64_t context) {
  if (!model_) throw std::invalid_argument("this engine has no model: expected given gradients (accumulate)");
  position_.TakeMicroBatch(step, micro_batch);
  return model_->ForwardBackward(static_cast<int>(micro_batch), inputs, targets, batch, context, loss_scale_.scale,
                                 frozen_);
}

float Engine::SyncGradients(int64_t step) {
  position_.RequireStep(step);
  if (!synced_norm_) synced_norm_ = CompleteGradients();
  return *synced_norm_;
}

/// Returns their norm.
float Engine::CompleteGradients() {
  GradientSums sums;
  for (const auto& part : classes_) part->stores.gradients.CompleteMean(UnscaleFactor(loss_scale_));
  for (const auto& part : classes_) {
    const auto mean = [&](const OwnedPiece& piece) { return part->Mean(piece); };
    DeviceStream& home = part->stores.parameters->home();
    timeline_.Span(home, "norm", -1, [&] { part->stores.norm.AddTo(sums, mean, home, *streams_.communication); });
  }
  return NormOf(settings_.clip_norm, sums);
}

StepResult Engine::Step(int64_t step) {
  position_.TakeStep(step);
  StepResult result;
  result.loss_scale = loss_scale_.scale;
  timeline_.Span(*streams_.compute, "step", -1, [&] {
    result.grad_norm = synced_norm_ ? *synced_norm_ : CompleteGradients();
    synced_norm_.reset();
    result.clip_coefficient =
        ClipCoefficient(settings_.clip_formula, result.grad_norm, max_norm_, settings_.clip_epsilon);
    const std::vector<ParameterStep> steps = WhatIsUpdated();

    // The norm has the same bits on every rank, so all ranks decide alike.
    result.skipped = SkipsOverflow(settings_.loss_scaling) && std::isnan(result.grad_norm);
    if (!result.skipped) {
      for (const auto& part : classes_) UpdateAndAllGather(*part, steps, result.clip_coefficient);
      for (size_t p = 0; p < steps.size(); ++p) products_[p] = steps[p].products;
    }
    loss_scale_ = NextLossScale(settings_.loss_scaling, loss_scale_, result.skipped);
  });
  streams_.Synchronize();
  return result;
}

/// A parameter that is frozen, or had no gradient from any micro-batch of any rank, stands still. Collective.
std::vector<ParameterStep> Engine::WhatIsUpdated() {
  std::vector<uint64_t> counts(settings_.parameters.size(), 1);
  if (dense().stores.given) {
    counts.assign(counts.size(), 0);
    for (const auto& part : classes_) {
      const std::vector<uint64_t> own = part->stores.given->TakeCounts();
      for (size_t p = 0; p < own.size(); ++p) counts[p] += own[p];
    }
    SumOverRanks(counts, "who has gradients");
  }
  std::vector<ParameterStep> steps;
  for (size_t p = 0; p < settings_.parameters.size(); ++p) {
    const EngineParameter& parameter = settings_.parameters[p];
    const bool updated = parameter.has_storage() && !frozen_[p] && counts[p] > 0;
    steps.push_back({updated, groups_of_parameters_[parameter.spec.group], products_[p]});
    if (updated) steps.back().products.Advance(steps.back().group);
  }
  return steps;
}

void Engine::SumOverRanks(std::vector<uint64_t>& integers, const char* what) {
  for (Communicator* group : {&dense().groups.shard, &dense().groups.replicate}) {
    group->AllReduceSum(integers.data(), std::ssize(integers), *streams_.communication, what);
  }
  streams_.communication->Synchronize();
  SumOverTensorRanks(integers, what);
}

void Engine::SumOverTensorRanks(std::span<uint64_t> integers, const char* what) {
  if (settings_.tensor == 1) return;
  dense().groups.tensor.AllReduceSum(integers.data(), std::ssize(integers), *streams_.compute, what);
  streams_.compute->Synchronize();
}

/// Each element once.
void Engine::SumOverTensorRanks(std::vector<WholeTensorSums>& sums) {
  for (int p = 0; p < std::ssize(sums); ++p) {
    if (!dense().arrangement.counts(p)) sums[p] = {};
  }
  constexpr size_t kWords = sizeof(WholeTensorSums) / sizeof(uint64_t);
  SumOverTensorRanks({reinterpret_cast<uint64_t*>(sums.data()), sums.size() * kWords}, "whole tensors");
}

void Engine::UpdateAndAllGather(ParameterClass& part, const std::vector<ParameterStep>& steps, float clip) {
  Stores& stores = part.stores;
  const auto mean = [&](const OwnedPiece& piece) { return part.Mean(piece); };
  std::vector<WholeTensorSums> sums = stores.optimizer.Prepare(steps, clip, mean);
  if (!sums.empty() && part.arrangement.sharding.optimizer) {
    part.groups.shard.AllReduceSum(reinterpret_cast<uint64_t*>(sums.data()),
                                   std::ssize(sums) * static_cast<int64_t>(sizeof(WholeTensorSums) / sizeof(uint64_t)),
                                   *streams_.communication, "whole tensors");
    streams_.communication->Synchronize();
  }
  if (!sums.empty()) SumOverTensorRanks(sums);
  for (int bucket = 0; bucket < part.arrangement.bucket_count(); ++bucket) {
    stores.optimizer.Update(bucket, steps, clip, mean, sums);
    stores.parameters->AllGatherParameters(bucket);
  }
}

void Engine::SetGroup(int group, const HyperParameters& values) {
  if (group < 0 || group >= std::ssize(groups_of_parameters_)) {
    throw std::invalid_argument(
        fmt::format("group is {}: this engine has {} groups", group, groups_of_parameters_.size()));
  }
  groups_of_parameters_[group] = values;
}

void Engine::SetFrozen(int parameter, bool frozen) {
  RequireParameter(parameter);
  if (!settings_.parameters[parameter].has_storage()) {
    throw std::invalid_argument(fmt::format("parameter {} is {}: expected one that has storage of its own", parameter,
                                            settings_.parameters[parameter].buffer ? "a buffer" : "tied to another"));
  }
  frozen_[parameter] = frozen;
}

std::vector<int> Engine::BucketOfParameter() const {
  std::vector<int> buckets = dense().arrangement.bucket_of_parameter;
  for (size_t p = 0; p < buckets.size(); ++p) {
    if (!settings_.parameters[p].has_storage()) buckets[p] = -1;
  }
  return buckets;
}

void Engine::RequireParameter(int parameter) const {
  if (parameter < 0 || parameter >= std::ssize(settings_.parameters)) {
    throw std::invalid_argument(
        fmt::format("parameter is {}: this engine has {} parameters", parameter, settings_.parameters.size()));
  }
}

void Engine::RequireOnThisRank(int parameter) const {
  const auto& [spec, precision, tied_to, buffer, expert] = settings_.parameters[parameter];
  if (expert < 0 || expert == rank_ % settings_.experts) return;
  throw std::invalid_argument(fmt::format("parameter {} ({}) is of expert {}: rank {} has those of expert {} alone",
                                          parameter, spec.name, expert, rank_, rank_ % settings_.experts));
}

}  // namespace zerocts::engine
