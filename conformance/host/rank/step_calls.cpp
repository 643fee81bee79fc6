#include "conformance/host/rank/step_calls.hpp"

#include <array>
#include <limits>
#include <string>

#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/memory/guarded_args.hpp"
#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/invalid_call.hpp"
#include "conformance/host/rank/open_request.hpp"

namespace zerocts {

void StepCalls::TellChanges(int64_t step) {
  SetGroups(step);
  SetFrozen(step);
}

void StepCalls::SetGroups(int64_t step) {
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

void StepCalls::SetFrozen(int64_t step) {
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

void StepCalls::GiveMicroBatches(int64_t step) {
  losses_.clear();
  std::vector<std::vector<float>> parameters;
  const bool host_computes = experiment_.gradients == GradientSource::kModel && !context_.subject_computes();
  for (size_t p = 0; host_computes && p < experiment_.parameters.size(); ++p)
    parameters.push_back(reader_.ReadParameter(static_cast<int>(p)));
  for (int k = 0; k < experiment_.micro_batches; ++k) {
    if (context_.subject_computes()) {
      ForwardBackward(step, k);
      continue;
    }
    if (host_computes) {
      losses_.push_back(inputs_.ComputeGradients(step, k, parameters));
    } else {
      inputs_.GiveGradients(step, k);
    }
    for (const int told : CallsOf(case_, step, k)) Accumulate(step, told);
    inputs_.ForgetGradients();
  }
}

void StepCalls::Accumulate(int64_t step, int micro_batch) {
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

const zerocts_loss* StepCalls::GiveLoss(std::optional<QuadraticLoss>& loss) {
  return loss.emplace(case_, inputs_, [this](const std::string& what) { context_.caller.Broke(what); }).table();
}

const zerocts_model_extension& StepCalls::ModelExtension(int64_t step) {
  const zerocts_model_extension* extension = nullptr;
  context_.caller.CallAt(step, "get_extension", [&] {
    extension = static_cast<const zerocts_model_extension*>(context_.setting.plugin.Extension(ZEROCTS_MODEL_EXTENSION));
    return static_cast<zerocts_status*>(nullptr);
  });
  if (!extension || extension->struct_size < sizeof(*extension) || !extension->forward_backward) {
    throw Refusal{"get_extension", step, ZEROCTS_UNIMPLEMENTED,
                  "\"models\" is declared, but the extension " ZEROCTS_MODEL_EXTENSION " is missing"};
  }
  return *extension;
}

void StepCalls::ForwardBackward(int64_t step, int micro_batch) {
  const zerocts_model_extension& extension = ModelExtension(step);
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

void StepCalls::Step(int64_t step) {
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

}  // namespace zerocts
