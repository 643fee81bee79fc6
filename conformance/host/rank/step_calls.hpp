// The calls that make a step: what changes before it, its micro-batches, and the step itself.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/guarded_args.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/cost_meter.hpp"
#include "conformance/host/rank/invalid_call.hpp"
#include "conformance/host/rank/open_request.hpp"
#include "conformance/host/rank/quadratic_loss.hpp"
#include "conformance/host/rank/rank_context.hpp"
#include "conformance/host/rank/subject_reader.hpp"

namespace zerocts {

/// Everything throws Refusal.
class StepCalls {
 public:
  StepCalls(RankContext& context, CaseInputs& inputs, SubjectReader& reader, CostMeter& costs, CallProfile& profile)
      : context_(context), inputs_(inputs), reader_(reader), costs_(costs), profile_(profile) {}

  /// Hyper-parameters that change, and what froze or thawed since the step before.
  void TellChanges(int64_t step) {
    SetGroups(step);
    SetFrozen(step);
  }
  /// K micro-batches: given gradients, or the model, computed by the subject or for it. `after`: called after each,
  /// with their number so far; true: the engine is a fresh one, which gets them from the first on, of what `step` is
  /// then.
  template <typename After>
  void GiveMicroBatches(const int64_t& step, After after) {
    losses_.clear();
    std::vector<std::vector<float>> parameters;
    for (int given = 0; given < experiment_.micro_batches;) {
      if (given == 0) parameters = ParametersOfHost();
      GiveMicroBatch(step, given++, parameters);
      if (!after(given)) continue;
      losses_.clear();
      given = 0;
    }
  }
  /// The gradients of the last micro-batch that was given, or of the first one, under the number of another.
  void GiveWrongMicroBatch(const ExtraCall& call) {
    inputs_.GiveGradients(call.step, std::max(call.micro_batches - 1, 0));
    try {
      Accumulate(call.step, WrongNumber(call, experiment_.micro_batches));
    } catch (...) {
      inputs_.ForgetGradients();
      throw;
    }
  }
  void Step(int64_t step) {
    GuardedArgs<zerocts_step_args> args(context_.engine);
    args->step = static_cast<uint64_t>(step);
    args->grad_norm = args->clip_coefficient = kPoison;
    args->loss_scale = experiment_.loss_scaling.kind == LossScaleKind::kNone ? 1.0f : kPoison;
    profile_.Align();
    costs_.Counted([&] {
      context_.caller.CallAt(step, "step", table_.step, args);
      profile_.Note("step");
    });
    context_.observation.scalars.push_back(
        {step, args->grad_norm, args->clip_coefficient, losses_, args->skipped != 0, args->loss_scale});
  }

 private:
  bool host_computes() const { return experiment_.gradients == GradientSource::kModel && !context_.subject_computes(); }
  /// What the host computes the model with; else nothing.
  std::vector<std::vector<float>> ParametersOfHost() {
    std::vector<std::vector<float>> parameters;
    for (size_t p = 0; host_computes() && p < experiment_.parameters.size(); ++p)
      parameters.push_back(reader_.ReadParameter(static_cast<int>(p)));
    return parameters;
  }
  void GiveMicroBatch(int64_t step, int k, const std::vector<std::vector<float>>& parameters) {
    if (context_.subject_computes()) return ForwardBackward(step, k);
    if (host_computes()) {
      losses_.push_back(inputs_.ComputeGradients(step, k, parameters));
    } else {
      inputs_.GiveGradients(step, k);
    }
    for (const int told : CallsOf(case_, step, k)) Accumulate(step, told);
    inputs_.ForgetGradients();
  }
  void SetGroups(int64_t step) {
    if (step == 0) return;  // open had these
    for (const HyperParameterChange& change : experiment_.changes) {
      if (change.step != step) continue;
      ConstPages pages(context_.page);
      GuardedArgs<zerocts_set_group_args> args(context_.engine);
      args->group = static_cast<uint32_t>(change.group);
      args->values = pages.Copy(std::array{GroupValues(change.values)}, "the values of set_group").data();
      pages.Seal();
      context_.caller.CallAt(step, "set_group", table_.set_group, args);
    }
  }
  void SetFrozen(int64_t step) {
    const ParameterRoles& roles = experiment_.roles;
    for (int p = 0; p < static_cast<int>(experiment_.parameters.size()); ++p) {
      const bool frozen = roles.IsFrozen(p, step), before = step > 0 && roles.IsFrozen(p, step - 1);
      if (roles.OwnerOf(p) != p || frozen == before) continue;
      GuardedArgs<zerocts_set_frozen_args> args(context_.engine);
      args->parameter = static_cast<uint32_t>(p);
      args->frozen = frozen;
      context_.caller.CallAt(step, "set_frozen", table_.set_frozen, args);
    }
  }
  void Accumulate(int64_t step, int micro_batch) {
    GuardedArgs<zerocts_accumulate_args> args(context_.engine);
    args->step = static_cast<uint64_t>(step);
    args->micro_batch = static_cast<uint32_t>(micro_batch);
    const GivenGradients gradients(case_, step, micro_batch, inputs_.gradients());
    args->n_gradients = gradients.count();
    args->gradients = gradients.data();
    std::optional<QuadraticLoss> loss;
    if (experiment_.curvature != 0) args->loss = GiveLoss(loss);
    if (micro_batch == 0) profile_.Align();
    costs_.Counted([&] {
      context_.caller.CallAt(step, "accumulate", table_.accumulate, args, micro_batch);
      profile_.Note("accumulate", micro_batch);
    });
    if (loss) loss->EndMicroBatch();
  }
  /// Makes the loss of the micro-batch that inputs_ give.
  const zerocts_loss* GiveLoss(std::optional<QuadraticLoss>& loss) {
    return loss.emplace(case_, inputs_, [this](const std::string& what) { context_.caller.Broke(what); }).table();
  }
  void ForwardBackward(int64_t step, int micro_batch) {
    const auto& extension =
        context_.Extension(step, "models", ZEROCTS_MODEL_EXTENSION, &zerocts_model_extension::forward_backward);
    inputs_.GiveBatch(step, micro_batch);
    GuardedArgs<zerocts_forward_backward_args> args(context_.engine);
    args->step = static_cast<uint64_t>(step);
    args->micro_batch = static_cast<uint32_t>(micro_batch);
    args->batch = static_cast<uint32_t>(experiment_.batch);
    args->context = static_cast<uint32_t>(ContextOf(*experiment_.model));
    args->inputs = inputs_.tokens();
    args->targets = inputs_.targets();
    args->loss = std::numeric_limits<double>::quiet_NaN();
    if (micro_batch == 0) profile_.Align();
    costs_.Counted([&] {
      context_.caller.CallAt(step, "forward_backward", extension.forward_backward, args, micro_batch);
      profile_.Note("forward_backward", micro_batch);
    });
    losses_.push_back(args->loss);
  }

  RankContext& context_;
  const Case& case_ = context_.c;
  const Experiment& experiment_ = context_.experiment;
  const zerocts_subject& table_ = context_.caller.table();
  CaseInputs& inputs_;
  SubjectReader& reader_;
  CostMeter& costs_;
  CallProfile& profile_;
  std::vector<double> losses_;  // of the step's micro-batches
};

}  // namespace zerocts
