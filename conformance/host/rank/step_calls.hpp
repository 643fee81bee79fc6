// The calls that make a step: what changes before it, its micro-batches, and the step itself.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/cost_meter.hpp"
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
  void TellChanges(int64_t step);
  /// K micro-batches: given gradients, or the model, computed by the subject or for it.
  void GiveMicroBatches(int64_t step);
  void Step(int64_t step);

 private:
  void SetGroups(int64_t step);
  void SetFrozen(int64_t step);
  void Accumulate(int64_t step, int micro_batch);
  /// Makes the loss of the micro-batch that inputs_ give.
  const zerocts_loss* GiveLoss(std::optional<QuadraticLoss>& loss);
  void ForwardBackward(int64_t step, int micro_batch);
  const zerocts_model_extension& ModelExtension(int64_t step);

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
