#include "conformance/host/rank/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/checkpoint_calls.hpp"
#include "conformance/host/rank/cost_meter.hpp"
#include "conformance/host/rank/event_recorder.hpp"
#include "conformance/host/rank/invalid_call.hpp"
#include "conformance/host/rank/open_request.hpp"
#include "conformance/host/rank/rank_context.hpp"
#include "conformance/host/rank/step_calls.hpp"
#include "conformance/host/rank/subject_reader.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

MemoryReading ReportedBy(const zerocts_memory_args& args) {
  return {args.parameter_bytes, args.gradient_bytes, args.optimizer_bytes, args.buffer_bytes};
}

class CaseRun {
 public:
  CaseRun(const RankSetting& setting, const Case& c, uint32_t deadline_ms, const std::string& checkpoint_folder)
      : context_{setting, c, deadline_ms / 4 * 3},  // the subject says who is missing before the conductor gives up
        inputs_(c, setting.rank, setting.page),
        checkpoint_(context_, checkpoint_folder) {}

  /// Throws Refusal.
  void Run() {
    PoisonMalloc(case_.poison_memory);
    if (case_.observe_memory) setting_.memory.Begin(setting_.rank, setting_.store, context_.deadline_ms);
    step_ = FirstStep(case_) - 1;
    if (LoadsOnly(case_)) {
      BeginWithCheckpoint();
    } else {
      Begin();
    }
    for (++step_; step_ < experiment_.steps; ++step_) {
      steps_.TellChanges(step_);
      events_.Take(RankEvent::kOutsideOfSteps);
      MakeExtraCalls(0);
      const auto begin = std::chrono::steady_clock::now();
      steps_.GiveMicroBatches(step_, [this](int given) { return MakeExtraCalls(given); });
      NoteMemory("before_step");
      reader_.ObserveBeforeStep();
      steps_.Step(step_);
      NoteMemory("after_step");
      NoteLaterMemory();
      costs_.EndStep();
      events_.Take(step_);
      if (case_.report_steps && !GoesOnAfter(std::chrono::steady_clock::now() - begin)) {
        reader_.ObserveThisStep();
        ++step_;
        break;
      }
      reader_.Observe();
      LookAtMemory();
      if (case_.checkpoint && case_.checkpoint->after_step == step_) PassCheckpoint();
    }
    --step_;
    if (case_.observe_memory) ReadMemory();
    observation_.input_hash = inputs_.Hash();
    observation_.extra_calls = static_cast<int64_t>(extra_calls_);
  }

  /// If open failed, there is no engine to close.
  void Close() {
    if (!context_.engine) return;
    caller_.CallAt(step_, "close", [&] {
      table_.close(std::exchange(context_.engine, nullptr));
      return static_cast<zerocts_status*>(nullptr);
    });
    if (caller_.missed_others()) return;  // close is collective; do not report it when another rank is missing
    if (const std::string left = context_.host.memory().Left(); !left.empty()) caller_.Broke(left);
  }

  void LookAtMemory() { caller_.LookAtMemory(); }

  /// A right call that is refused after a wrong one may be its fault.
  std::string AfterWhatWasRefused() const {
    return refused_.empty() ? "" : fmt::format(" (after {}, which it refused, as it should)", refused_);
  }

  const Breaches& breaches() const { return caller_.breaches(); }
  RankObservation& observation() { return observation_; }

 private:
  void Open(const CaseInputs::Tensors& initial) {
    const std::string model = context_.subject_computes() ? ToJson(*experiment_.model).dump() : "";
    request_ = std::make_unique<OpenRequest>(case_, setting_.rank, context_.host.table(), initial,
                                             OptionsOf(case_, setting_.options), model, setting_.page);
    GuardedArgs<zerocts_open_args>& args = request_->args;
    args->deadline_ms = context_.deadline_ms;
    try {
      caller_.CallAt(step_, "open", table_.open, args);
    } catch (...) {
      context_.engine = args->engine;
      throw;
    }
    context_.engine = args->engine;
    if (!context_.engine) throw Refusal{"open", step_, ZEROCTS_INTERNAL, "open succeeded without an engine"};
    events_.Begin();
    MeetBeforeARefusal();
  }

  /// A rank that refuses a later call may take its connections away: nobody opens any more then. Who does not come has
  /// refused open, or says so itself.
  void MeetBeforeARefusal() {
    if (case_.undeclared) setting_.store.Barrier(context_.deadline_ms);
  }

  void Begin() {
    Open(inputs_.initial());
    inputs_.ForgetInitial();
    NoteMemory("open");
    reader_.ReadOwned();
    reader_.Observe();
    LookAtMemory();
  }

  /// A fresh engine, opened with other values, takes over what other ranks saved.
  void BeginWithCheckpoint() {
    LoadIntoFresh();
    reader_.ReadOwned();
    reader_.ObserveResumed();
    LookAtMemory();
  }

  void LoadIntoFresh() {
    Open(inputs_.OtherInitial());
    inputs_.ForgetInitial();
    checkpoint_.Load();
    LookAtMemory();
  }

  /// Saves; to resume, goes on with a fresh engine that was opened with other values.
  void PassCheckpoint() {
    checkpoint_.Save();
    LookAtMemory();
    if (case_.checkpoint->damage) checkpoint_.DamageOneFile(*case_.checkpoint->damage);
    if (case_.checkpoint->how == CheckpointUse::kResume) GoOnWithFresh();
  }

  void GoOnWithFresh() {
    Close();
    context_.host.BeginEngine();
    LoadIntoFresh();
    reader_.ObserveResumed();
    LookAtMemory();
  }

  /// The calls that come after so many micro-batches of this step. True: a fresh engine took over, and they go on when
  /// it has the micro-batches, too.
  bool MakeExtraCalls(int given) {
    const auto is_here = [&](const ExtraCall& call) { return call.step == step_ && call.micro_batches == given; };
    while (extra_calls_ < case_.extra_calls.size() && is_here(case_.extra_calls[extra_calls_])) {
      const ExtraCall& call = case_.extra_calls[extra_calls_++];
      Make(call);
      if (call.loads() && given > 0) return true;
    }
    return false;
  }

  void Make(const ExtraCall& call) {
    caller_.StandAt(step_);
    if (call.saves()) SaveAgain(call);
    switch (call.kind) {
      case ExtraCallKind::kRead: return reader_.ObserveWithinStep();
      case ExtraCallKind::kSave: return;
      case ExtraCallKind::kResume: return LoadSaved(step_);
      case ExtraCallKind::kReturn: checkpoint_.GoBackTo(first_save_); return LoadSaved(SavedForReturn(case_)->step);
      case ExtraCallKind::kWrongMicroBatch:
      case ExtraCallKind::kRepeatedMicroBatch: return ExpectRefusal(call, [&] { steps_.GiveWrongMicroBatch(call); });
      case ExtraCallKind::kEarlyStep: return ExpectRefusal(call, [&] { steps_.Step(step_); });
    }
  }

  void SaveAgain(const ExtraCall& call) {
    checkpoint_.BeginAnother();
    checkpoint_.Save();
    if (&call == SavedForReturn(case_)) first_save_ = checkpoint_.begun();
    LookAtMemory();
  }

  /// Goes on at the begin of this step.
  void LoadSaved(int64_t step) {
    step_ = step - 1;  // what is loaded is of the step before
    GoOnWithFresh();
    ++step_;
  }

  template <typename WrongCall>
  void ExpectRefusal(const ExtraCall& call, WrongCall wrong_call) {
    const std::string out_of_order = fmt::format("a call out of order ({})", ToString(call));
    try {
      wrong_call();
    } catch (const Refusal& refusal) {
      if (refusal.code == ZEROCTS_INVALID_ARGUMENT) {
        refused_ = out_of_order;
        return;
      }
      caller_.Broke(fmt::format("refused {} with code {}, where {} (INVALID_ARGUMENT) was expected: {}", out_of_order,
                                refusal.code, int{ZEROCTS_INVALID_ARGUMENT}, refusal.text));
      throw;
    }
    caller_.Broke(fmt::format("took {}, which is to be refused", out_of_order));
    throw Refusal{"step", step_, ZEROCTS_INTERNAL, "took " + out_of_order};
  }

  /// Tells of the step that was just made.
  bool GoesOnAfter(std::chrono::nanoseconds took) {
    const StepScalars& scalars = observation_.scalars.back();
    SteppedMessage step{.step = step_,
                        .nanoseconds = took.count(),
                        .grad_norm = scalars.grad_norm,
                        .clip_coefficient = scalars.clip_coefficient,
                        .losses = scalars.losses};
    for (int p = 0; case_.observe_parameters && p < std::ssize(experiment_.parameters); ++p) {
      const bool is_here = case_.RankHas(setting_.rank, p);
      step.parameters.push_back(is_here ? HashOf(reader_.ReadParameter(p)) : "");
    }
    LookAtMemory();
    return !setting_.steps || setting_.steps->GoesOnAfter(std::move(step));
  }

  /// Notes the memory at a point of the first step; does nothing in later steps.
  void NoteMemory(const char* point) {
    if (case_.observe_profile && step_ <= 0) NoteMemoryNow(point);
  }

  void NoteLaterMemory() {
    const int64_t middle = MiddleStep(experiment_.steps);
    if (!case_.observe_profile || middle == 0) return;
    if (step_ == middle) NoteMemoryNow("middle");
    if (step_ == experiment_.steps - 1) NoteMemoryNow("end");
  }

  void NoteMemoryNow(const char* point) {
    GuardedArgs<zerocts_memory_args> args(context_.engine);
    caller_.CallAt(step_, "memory", table_.memory, args);
    profile_.NotePoint(point, ReportedBy(*args.args()));
  }

  /// Looks before the call too: what is spilled inside of it was held.
  void ReadMemory() {
    LookAtGrowth();
    GuardedArgs<zerocts_memory_args> args(context_.engine);
    caller_.CallAt(step_, "memory", table_.memory, args);
    observation_.reported = ReportedBy(*args.args());
    observation_.allocated = context_.host.memory().held();
    observation_.allocated_peak_bytes = context_.host.memory().peak_bytes();
    if (setting_.plugin.capabilities().memory_estimate) observation_.memory_plan = MemoryPlanFrom(*args.args());
    LookAtGrowth();
    WriteDown(setting_.memory.growth());
  }

  void LookAtGrowth() {
    setting_.memory.Look(setting_.rank, setting_.store, context_.deadline_ms,
                         HeapBytesOf(observation_) + context_.host.memory().overhead_bytes());
  }

  void WriteDown(const MemoryGrowth& growth) {
    const auto steps = static_cast<uint64_t>(std::max<int64_t>(step_ - FirstStep(case_) + 1, 1));
    observation_.process_heap_growth_bytes = growth.heap.bytes;
    observation_.process_heap_left_bytes = growth.heap.left;
    if (growth.process) observation_.process_growth_bytes = growth.process->bytes;
    if (growth.process) observation_.process_left_bytes = growth.process->left;
    observation_.process_file_bytes = growth.file_bytes / steps;
    observation_.unread = {growth.unread.begin(), growth.unread.end()};
  }

  RankContext context_;
  const RankSetting& setting_ = context_.setting;
  const Case& case_ = context_.c;
  const Experiment& experiment_ = context_.experiment;
  const zerocts_subject& table_ = setting_.plugin.table();
  SubjectCaller& caller_ = context_.caller;
  RankObservation& observation_ = context_.observation;
  CaseInputs inputs_;
  std::unique_ptr<OpenRequest> request_;  // subjects that keep a name beyond open still find it
  SubjectReader reader_{context_};
  CostMeter costs_{context_};
  EventRecorder events_{context_};
  CallProfile profile_{context_};
  CheckpointCalls checkpoint_;
  StepCalls steps_{context_, inputs_, reader_, costs_, profile_};
  int64_t step_ = -1;
  size_t extra_calls_ = 0;  // that were made
  int first_save_ = 0;      // the number of the one that a return loads
  std::string refused_;     // the last call out of order that was refused
};

}  // namespace

CaseAnswer RunCase(const RankSetting& setting, const Case& c, uint64_t run, uint32_t deadline_ms,
                   const std::string& checkpoint_folder) {
  const bool share_process = setting.ranks_in_process > 1;
  if (std::string beyond = BeyondCapabilities(c, setting.can, share_process); !beyond.empty()) {
    return UnsupportedMessage{run, std::move(beyond)};
  }
  const zerocts_subject& table = setting.plugin.table();
  if (c.undeclared && table.abi_minor < setting.abi_minor) {
    return UnsupportedMessage{run, fmt::format("requests of version 1.{} of the ABI (it was compiled with 1.{})",
                                               setting.abi_minor, table.abi_minor)};
  }
  CaseRun case_run(setting, c, deadline_ms, checkpoint_folder);
  std::optional<Refusal> refusal;
  const auto refused_by = [&](auto part) {
    try {
      part();
    } catch (const Refusal& r) {
      if (!refusal) refusal = r;
    }
  };
  refused_by([&] { case_run.Run(); });
  refused_by([&] { case_run.Close(); });
  case_run.LookAtMemory();
  setting.page.Clear();
  if (case_run.breaches().any()) return BreachMessage{run, case_run.breaches().Sentence()};
  if (refusal) {
    return RefusedMessage{run, refusal->call, refusal->step, refusal->code,
                          refusal->text + case_run.AfterWhatWasRefused()};
  }
  return ObservedMessage{run, std::move(case_run.observation())};
}

}  // namespace zerocts
