// The calls that make a step: what changes before it, its micro-batches, and the step itself.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/cost_meter.hpp"
#include "conformance/host/rank/plugin.hpp"
#include "conformance/host/rank/quadratic_loss.hpp"
#include "conformance/host/rank/subject_reader.hpp"
#include "conformance/host/rank/watched_caller.hpp"

namespace zerocts {

/// Everything throws Refusal.
class StepCalls {
 public:
  /// All of them outlive it. `subject_computes`: the model; else the host does it for the subject.
  StepCalls(const Plugin& plugin, const Case& c, bool subject_computes, CaseInputs& inputs, SubjectReader& reader,
            WatchedCaller& calls, CostMeter& costs, CallProfile& profile, RankPage& page, RankObservation& observation)
      : plugin_(plugin),
        table_(plugin.table()),
        case_(c),
        experiment_(c.experiment),
        subject_computes_(subject_computes),
        inputs_(inputs),
        reader_(reader),
        calls_(calls),
        costs_(costs),
        profile_(profile),
        page_(page),
        observation_(observation) {}

  /// Hyper-parameters that change, and what froze or thawed since the step before.
  void TellChanges(zerocts_engine* engine, int64_t step);
  /// K micro-batches: given gradients, or the model, computed by the subject or for it.
  void GiveMicroBatches(zerocts_engine* engine, int64_t step);
  void Step(zerocts_engine* engine, int64_t step);

 private:
  void SetGroups(zerocts_engine* engine, int64_t step);
  void SetFrozen(zerocts_engine* engine, int64_t step);
  void Accumulate(zerocts_engine* engine, int64_t step, int micro_batch);
  /// Makes the loss of the micro-batch that inputs_ give.
  const zerocts_loss* GiveLoss(std::optional<QuadraticLoss>& loss);
  void ForwardBackward(zerocts_engine* engine, int64_t step, int micro_batch);
  const zerocts_model_extension& ModelExtension(int64_t step);

  const Plugin& plugin_;
  const zerocts_subject& table_;
  const Case& case_;
  const Experiment& experiment_;
  const bool subject_computes_;
  CaseInputs& inputs_;
  SubjectReader& reader_;
  WatchedCaller& calls_;
  CostMeter& costs_;
  CallProfile& profile_;
  RankPage& page_;
  RankObservation& observation_;
  std::vector<double> losses_;  // of the step's micro-batches
};

}  // namespace zerocts
