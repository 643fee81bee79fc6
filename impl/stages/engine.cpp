#include "impl/stages/engine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"
#include "impl/tensor_parallel/own_values.hpp"

namespace zerocts::engine {

Stores::Stores(const RankContext& context)
    : buffers(context),
      parameters(context.arrangement.sharding.parameters ? MakeShardedParameters(context)
                                                         : MakeReplicatedParameters(context)),
      gradients(context, PlanGradients(context.settings, context.arrangement)),
      optimizer(context, *parameters),
      norm(context) {
  if (context.settings.model) {
    model.emplace(context);
  } else {
    given.emplace(context);
  }
}

void RequireServed(const EngineSettings& settings, int world_size) {
  if (const std::string problem = Problem(settings, world_size); !problem.empty()) throw std::invalid_argument(problem);
  const std::string& order = settings.reduction_order;
  if (order != "rank" && order != "ring" && order != "tree") {
    throw Unimplemented(fmt::format("reduction order {} is not in this build, which has: rank, ring, tree", order));
  }
}

Engine::Engine(EngineSettings settings, int rank, int world_size, Groups groups, Device& device,
               const std::vector<const float*>& initial)
    : settings_((RequireServed(settings, world_size), std::move(settings))),
      arrangement_(ArrangementOf(settings_, rank, world_size)),
      own_settings_(OwnSettings(settings_, arrangement_.parts)),
      groups_(groups),
      device_(device),
      streams_(device, timeline_.events()),
      context_{own_settings_, arrangement_, groups_, device_, streams_, timeline_, ledger_},
      stores_(context_),
      position_(settings_.micro_batches),
      loss_scale_(InitialLossScale(settings_.loss_scaling)),
      max_norm_(settings_.max_norm),
      groups_of_parameters_(settings_.groups),
      products_(settings_.parameters.size()),
      frozen_(settings_.parameters.size()) {
  const OwnValues own(initial, arrangement_.parts);
  stores_.optimizer.Load(own.pointers());
  for (int bucket = 0; bucket < arrangement_.bucket_count(); ++bucket) stores_.parameters->Publish(bucket);
  stores_.buffers.Load(own.pointers(), device, *streams_.compute);
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
  if (!stores_.given) throw std::invalid_argument("this engine has a model: expected tokens (forward_backward)");
  if (gradients.size() != settings_.parameters.size()) {
    throw std::invalid_argument(fmt::format("{} gradients were given: expected one for each of {} parameters",
                                            gradients.size(), settings_.parameters.size()));
  }
  for (size_t p = 0; p < gradients.size(); ++p) {
    if (!gradients[p] || !(frozen_[p] || settings_.parameters[p].buffer)) continue;
    throw std::invalid_argument(fmt::format("parameter {} ({}) is {}: expected no gradient (NULL)", p,
                                            settings_.parameters[p].spec.name, frozen_[p] ? "frozen" : "a buffer"));
  }
  position_.TakeMicroBatch(step, micro_batch);
  stores_.given->Accumulate(static_cast<int>(micro_batch), gradients, loss, loss_scale_.scale, *stores_.parameters,
                            stores_.gradients);
}

double Engine::ForwardBackward(int64_t step, int64_t micro_batch, const int32_t* inputs, const int32_t* targets,
                               int64_t batch, int64_t context) {
  if (!stores_.model) throw std::invalid_argument("this engine has no model: expected given gradients (accumulate)");
  position_.TakeMicroBatch(step, micro_batch);
  return stores_.model->ForwardBackward(static_cast<int>(micro_batch), inputs, targets, batch, context,
                                        loss_scale_.scale, frozen_, *stores_.parameters, stores_.buffers,
                                        stores_.gradients);
}

float Engine::SyncGradients(int64_t step) {
  position_.RequireStep(step);
  if (!synced_norm_) synced_norm_ = CompleteGradients();
  return *synced_norm_;
}

/// Returns their norm.
float Engine::CompleteGradients() {
  float norm = 0;
  stores_.gradients.CompleteMean(UnscaleFactor(loss_scale_));
  const auto mean = [&](const OwnedPiece& piece) { return stores_.gradients.Mean(piece); };
  timeline_.Span(stores_.parameters->home(), "norm", -1,
                 [&] { norm = stores_.norm.Compute(mean, stores_.parameters->home(), *streams_.communication); });
  return norm;
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
    if (!result.skipped) UpdateAndPublish(steps, result.clip_coefficient);
    loss_scale_ = NextLossScale(settings_.loss_scaling, loss_scale_, result.skipped);
  });
  streams_.Synchronize();
  return result;
}

/// A parameter that is frozen, or had no gradient from any micro-batch of any rank, stands still. Collective.
std::vector<ParameterStep> Engine::WhatIsUpdated() {
  std::vector<uint64_t> counts(settings_.parameters.size(), 1);
  if (stores_.given) {
    counts = stores_.given->TakeCounts();
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
  for (Communicator* group : {&groups_.shard, &groups_.replicate}) {
    group->AllReduceSum(integers.data(), std::ssize(integers), *streams_.communication, what);
  }
  streams_.communication->Synchronize();
  SumOverTensorRanks(integers, what);
}

void Engine::SumOverTensorRanks(std::span<uint64_t> integers, const char* what) {
  if (settings_.tensor == 1) return;
  groups_.tensor.AllReduceSum(integers.data(), std::ssize(integers), *streams_.compute, what);
  streams_.compute->Synchronize();
}

/// Each element once.
void Engine::SumOverTensorRanks(std::vector<WholeTensorSums>& sums) {
  for (int p = 0; p < std::ssize(sums); ++p) {
    if (!arrangement_.counts(p)) sums[p] = {};
  }
  constexpr size_t kWords = sizeof(WholeTensorSums) / sizeof(uint64_t);
  SumOverTensorRanks({reinterpret_cast<uint64_t*>(sums.data()), sums.size() * kWords}, "whole tensors");
}

void Engine::UpdateAndPublish(const std::vector<ParameterStep>& steps, float clip) {
  const auto mean = [&](const OwnedPiece& piece) { return stores_.gradients.Mean(piece); };
  std::vector<WholeTensorSums> sums = stores_.optimizer.Prepare(steps, clip, mean);
  if (!sums.empty() && arrangement_.sharding.optimizer) {
    groups_.shard.AllReduceSum(reinterpret_cast<uint64_t*>(sums.data()),
                               std::ssize(sums) * static_cast<int64_t>(sizeof(WholeTensorSums) / sizeof(uint64_t)),
                               *streams_.communication, "whole tensors");
    streams_.communication->Synchronize();
  }
  if (!sums.empty()) SumOverTensorRanks(sums);
  for (int bucket = 0; bucket < arrangement_.bucket_count(); ++bucket) {
    stores_.optimizer.Update(bucket, steps, clip, mean, sums);
    stores_.parameters->Publish(bucket);
  }
  for (size_t p = 0; p < steps.size(); ++p) products_[p] = steps[p].products;
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
  std::vector<int> buckets = arrangement_.bucket_of_parameter;
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

}  // namespace zerocts::engine
