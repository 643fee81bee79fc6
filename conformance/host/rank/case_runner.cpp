#include "conformance/host/rank/case_runner.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/checkpoint_calls.hpp"
#include "conformance/host/rank/cost_meter.hpp"
#include "conformance/host/rank/event_recorder.hpp"
#include "conformance/host/rank/host_table.hpp"
#include "conformance/host/rank/mistaken_call.hpp"
#include "conformance/host/rank/open_request.hpp"
#include "conformance/host/rank/step_calls.hpp"
#include "conformance/host/rank/subject_caller.hpp"
#include "conformance/host/rank/subject_reader.hpp"
#include "conformance/host/rank/watched_caller.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

/// Its model, and not the host for it.
bool SubjectComputes(const Experiment& e, const Capabilities& can) {
  return e.gradients == GradientSource::kModel && Contains(can.models, KindOf(*e.model));
}

MemoryReading ReportedBy(const zerocts_memory_args& args) {
  return {args.parameter_bytes, args.gradient_bytes, args.optimizer_bytes, args.buffer_bytes};
}

class CaseRun {
 public:
  CaseRun(const RankSetting& setting, const Case& c, uint32_t deadline_ms, const std::string& checkpoint_folder)
      : setting_(setting),
        case_(c),
        experiment_(c.experiment),
        table_(setting.plugin.table()),
        deadline_ms_(deadline_ms / 4 * 3),  // the subject says who is missing before the conductor gives up
        inputs_(c, setting.rank, setting.page),
        host_(setting.rank, setting.rendezvous, setting.page, c.poison_memory, setting.ranks_in_process > 1),
        caller_(table_, setting.page),
        calls_(caller_, host_.memory()),
        reader_(c, setting.plugin.capabilities().states, caller_, setting.page, observation_),
        costs_(c, caller_, setting.page),
        events_(setting.plugin, c, caller_, setting.page, observation_),
        profile_(c.observe_profile, setting.ranks_in_process > 1, setting.rendezvous, deadline_ms_),
        checkpoint_(checkpoint_folder, setting.rendezvous, caller_, setting.page, deadline_ms_),
        subject_computes_(SubjectComputes(experiment_, setting.plugin.capabilities())),
        steps_(setting.plugin, c, subject_computes_, inputs_, reader_, calls_, costs_, profile_, setting.page,
               observation_) {
    if (profile_.observed()) caller_.TimeBy(profile_.clock());
    observation_.rank = setting.rank;
    observation_.ranks_in_process = setting.ranks_in_process;
  }

  /// Throws Refusal.
  void Run() {
    PoisonMalloc(case_.poison_memory);
    if (case_.observe_memory) setting_.memory.Begin(setting_.rank, setting_.rendezvous, deadline_ms_);
    step_ = FirstStep(case_) - 1;
    if (LoadsOnly(case_)) {
      BeginWithCheckpoint();
    } else {
      Begin();
    }
    for (++step_; step_ < experiment_.steps; ++step_) {
      steps_.TellChanges(engine_, step_);
      events_.Take(engine_, RankEvent::kOutsideOfSteps);
      const auto begin = std::chrono::steady_clock::now();
      steps_.GiveMicroBatches(engine_, step_);
      NoteMemory("before_step");
      reader_.ObserveBeforeStep(engine_);
      steps_.Step(engine_, step_);
      NoteMemory("after_step");
      costs_.EndStep(engine_, observation_);
      events_.Take(engine_, step_);
      if (case_.report_steps && !GoesOnAfter(std::chrono::steady_clock::now() - begin)) {
        reader_.ObserveThisStep(engine_);
        ++step_;
        break;
      }
      reader_.Observe(engine_);
      LookAtMemory();
      if (case_.checkpoint && case_.checkpoint->after_step == step_) PassCheckpoint();
    }
    --step_;
    if (case_.observe_memory) ReadMemory();
    observation_.input_hash = inputs_.Hash();
  }

  /// What open left without an engine is nobody's to free.
  void Close() {
    if (!engine_) return;
    calls_.Call(step_, "close", [&] {
      table_.close(std::exchange(engine_, nullptr));
      return static_cast<zerocts_status*>(nullptr);
    });
    if (caller_.missed_others()) return;  // close is collective, and not to blame for who does not come
    if (const std::string left = host_.memory().Left(); !left.empty()) caller_.Broke(left);
  }

  void LookAtMemory() { calls_.LookAtMemory(); }

  const Breaches& breaches() const { return caller_.breaches(); }
  RankObservation& observation() { return observation_; }

 private:
  void Open(const CaseInputs::Tensors& initial) {
    const std::string model = subject_computes_ ? ToJson(*experiment_.model).dump() : "";
    request_ = std::make_unique<OpenRequest>(case_, setting_.rank, host_.table(), initial,
                                             OptionsOf(case_, setting_.options), model, setting_.page);
    GuardedArgs<zerocts_open_args>& args = request_->args;
    args->deadline_ms = deadline_ms_;
    try {
      calls_.Call(step_, "open", table_.open, args);
    } catch (...) {
      engine_ = args->engine;
      throw;
    }
    engine_ = args->engine;
    if (!engine_) throw Refusal{"open", step_, ZEROCTS_INTERNAL, "open succeeded without an engine"};
    events_.Begin(engine_);
    MeetBeforeARefusal();
  }

  /// A rank that refuses a later call may take its connections away: nobody opens any more then. Who does not come has
  /// refused open, or says so itself.
  void MeetBeforeARefusal() {
    if (case_.undeclared) setting_.rendezvous.Barrier(deadline_ms_);
  }

  void Begin() {
    Open(inputs_.initial());
    inputs_.ForgetInitial();
    NoteMemory("open");
    reader_.ReadOwned(engine_);
    reader_.Observe(engine_);
    LookAtMemory();
  }

  /// A fresh engine, opened with other values, takes over what other ranks saved.
  void BeginWithCheckpoint() {
    LoadIntoFresh();
    reader_.ReadOwned(engine_);
    reader_.ObserveResumed(engine_);
    LookAtMemory();
  }

  void LoadIntoFresh() {
    Open(inputs_.OtherInitial());
    inputs_.ForgetInitial();
    checkpoint_.Load(engine_);
    LookAtMemory();
  }

  /// Saves; to resume, goes on with a fresh engine that was opened with other values.
  void PassCheckpoint() {
    checkpoint_.Save(engine_);
    LookAtMemory();
    if (case_.checkpoint->damage) checkpoint_.DamageOneFile(*case_.checkpoint->damage, setting_.rank);
    if (!ResumesAfter(case_, step_)) return;
    Close();
    host_.BeginEngine();
    LoadIntoFresh();
    reader_.ObserveResumed(engine_);
    LookAtMemory();
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
      step.parameters.push_back(is_here ? HashOf(reader_.ReadParameter(engine_, p)) : "");
    }
    LookAtMemory();
    return !setting_.steps || setting_.steps->GoesOnAfter(std::move(step));
  }

  /// Notes the memory at a point of the first step; does nothing in later steps.
  void NoteMemory(const char* point) {
    if (!profile_.observed() || step_ > 0) return;
    GuardedArgs<zerocts_memory_args> args(engine_);
    calls_.Call(step_, "memory", table_.memory, args);
    profile_.NotePoint(point, ReportedBy(*args.args()), host_.memory().held(), observation_);
  }

  void ReadMemory() {
    GuardedArgs<zerocts_memory_args> args(engine_);
    calls_.Call(step_, "memory", table_.memory, args);
    observation_.reported = ReportedBy(*args.args());
    observation_.allocated = host_.memory().held();
    observation_.allocated_peak_bytes = host_.memory().peak_bytes();
    if (setting_.plugin.capabilities().memory_estimate) observation_.memory_plan = MemoryPlanFrom(*args.args());
    const MemoryGrowth growth =
        setting_.memory.End(setting_.rank, setting_.rendezvous, deadline_ms_, HeapBytesOf(observation_));
    observation_.process_heap_growth_bytes = growth.heap_bytes;
    observation_.process_growth_bytes = growth.process_bytes;
  }

  const RankSetting& setting_;
  const Case& case_;
  const Experiment& experiment_;
  const zerocts_subject& table_;
  const uint32_t deadline_ms_;
  CaseInputs inputs_;
  HostTable host_;
  std::unique_ptr<OpenRequest> request_;  // subjects that keep a name beyond open still find it
  SubjectCaller caller_;
  WatchedCaller calls_;
  RankObservation observation_;
  SubjectReader reader_;
  CostMeter costs_;
  EventRecorder events_;
  CallProfile profile_;
  CheckpointCalls checkpoint_;
  const bool subject_computes_;
  StepCalls steps_;
  zerocts_engine* engine_ = nullptr;
  int64_t step_ = -1;
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
  if (refusal) return RefusedMessage{run, refusal->call, refusal->step, refusal->code, refusal->text};
  return ObservedMessage{run, std::move(case_run.observation())};
}

}  // namespace zerocts
