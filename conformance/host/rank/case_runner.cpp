#include "conformance/host/rank/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "conformance/cases/reshard.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_inputs.hpp"
#include "conformance/host/rank/checkpoint_calls.hpp"
#include "conformance/host/rank/cost_meter.hpp"
#include "conformance/host/rank/event_recorder.hpp"
#include "conformance/host/rank/host_table.hpp"
#include "conformance/host/rank/mistaken_call.hpp"
#include "conformance/host/rank/open_request.hpp"
#include "conformance/host/rank/output_room.hpp"
#include "conformance/host/rank/quadratic_loss.hpp"
#include "conformance/host/rank/subject_caller.hpp"
#include "conformance/host/rank/subject_reader.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {
namespace {

bool Declares(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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
        reader_(c, setting.plugin.capabilities().states, caller_, setting.page, observation_),
        costs_(c, caller_, setting.page),
        events_(setting.plugin, c, caller_, setting.page, observation_),
        profile_(c.observe_profile, setting.ranks_in_process > 1, setting.rendezvous, deadline_ms_),
        checkpoint_(checkpoint_folder, setting.rendezvous, caller_, setting.page, deadline_ms_) {
    subject_computes_ = experiment_.gradients == GradientSource::kModel &&
                        Declares(setting.plugin.capabilities().models, KindOf(*experiment_.model));
    if (profile_.observed()) caller_.TimeBy(profile_.clock());
    observation_.rank = setting.rank;
    observation_.ranks_in_process = setting.ranks_in_process;
  }

  /// Throws Refusal.
  void Run() {
    PoisonMalloc(case_.poison_memory);
    if (case_.observe_memory) setting_.heap.Begin(setting_.rank, setting_.rendezvous, deadline_ms_);
    step_ = FirstStep(case_) - 1;
    if (LoadsOnly(case_)) {
      BeginWithCheckpoint();
    } else {
      Begin();
    }
    for (++step_; step_ < experiment_.steps; ++step_) {
      SetGroups();
      SetFrozen();
      events_.Take(engine_, RankEvent::kOutsideOfSteps);
      const auto begin = std::chrono::steady_clock::now();
      GiveMicroBatches();
      NoteMemory("before_step");
      reader_.ObserveBeforeStep(engine_);
      Step();
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
    Call("close", [&] {
      table_.close(std::exchange(engine_, nullptr));
      return static_cast<zerocts_status*>(nullptr);
    });
    if (caller_.missed_others()) return;  // close is collective, and not to blame for who does not come
    if (const std::string left = host_.memory().Left(); !left.empty()) caller_.Broke(left);
  }

  /// Breaches are found in what the subject did since the last look.
  void LookAtMemory() {
    for (const std::string& breach : host_.memory().TakeBreaches()) caller_.Broke(breach);
  }

  const Breaches& breaches() const { return caller_.breaches(); }
  RankObservation& observation() { return observation_; }

 private:
  /// As of SubjectCaller.
  template <typename... Arguments>
  void Call(const char* name, Arguments&&... arguments) {
    caller_.StandAt(step_);
    try {
      caller_.Call(name, std::forward<Arguments>(arguments)...);
    } catch (const Refusal&) {
      LookAtMemory();
      throw;
    }
    LookAtMemory();
  }

  void Open(const CaseInputs::Tensors& initial) {
    const std::string model = subject_computes_ ? ToJson(*experiment_.model).dump() : "";
    request_ = std::make_unique<OpenRequest>(case_, setting_.rank, host_.table(), initial,
                                             OptionsOf(case_, setting_.options), model, setting_.page);
    GuardedArgs<zerocts_open_args>& args = request_->args;
    args->deadline_ms = deadline_ms_;
    try {
      Call("open", table_.open, args);
    } catch (...) {
      engine_ = args->engine;
      throw;
    }
    engine_ = args->engine;
    if (!engine_) throw Refusal{"open", step_, ZEROCTS_INTERNAL, "open succeeded without an engine"};
    events_.Begin(engine_);
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

  void SetGroups() {
    if (step_ == 0) return;  // open had these
    for (const HyperParameterChange& change : experiment_.changes) {
      if (change.step != step_) continue;
      ConstPages pages(setting_.page);
      GuardedArgs<zerocts_set_group_args> args(engine_);
      args->group = static_cast<uint32_t>(change.group);
      args->values = pages.Copy(std::array{GroupValues(change.values)}, "the values of set_group").data();
      pages.Seal();
      Call("set_group", table_.set_group, args);
    }
  }

  /// Tells what froze or thawed since the step before.
  void SetFrozen() {
    const ParameterRoles& roles = experiment_.roles;
    for (int p = 0; p < static_cast<int>(experiment_.parameters.size()); ++p) {
      const bool frozen = roles.IsFrozen(p, step_), before = step_ > 0 && roles.IsFrozen(p, step_ - 1);
      if (roles.OwnerOf(p) != p || frozen == before) continue;
      GuardedArgs<zerocts_set_frozen_args> args(engine_);
      args->parameter = static_cast<uint32_t>(p);
      args->frozen = frozen;
      Call("set_frozen", table_.set_frozen, args);
    }
  }

  /// K micro-batches: given gradients, or the model, computed by the subject or for it.
  void GiveMicroBatches() {
    losses_.clear();
    std::vector<std::vector<float>> parameters;
    const bool host_computes = experiment_.gradients == GradientSource::kModel && !subject_computes_;
    for (size_t p = 0; host_computes && p < experiment_.parameters.size(); ++p)
      parameters.push_back(reader_.ReadParameter(engine_, static_cast<int>(p)));
    for (int k = 0; k < experiment_.micro_batches; ++k) {
      if (subject_computes_) {
        ForwardBackward(k);
        continue;
      }
      if (host_computes) {
        losses_.push_back(inputs_.ComputeGradients(step_, k, parameters));
      } else {
        inputs_.GiveGradients(step_, k);
      }
      for (const int told : CallsOf(case_, step_, k)) Accumulate(told);
      inputs_.ForgetGradients();
    }
  }

  void Accumulate(int micro_batch) {
    GuardedArgs<zerocts_accumulate_args> args(engine_);
    args->step = static_cast<uint64_t>(step_);
    args->micro_batch = static_cast<uint32_t>(micro_batch);
    const GivenGradients gradients(case_, step_, micro_batch, inputs_.gradients());
    args->n_gradients = gradients.count();
    args->gradients = gradients.data();
    std::optional<QuadraticLoss> loss;
    if (experiment_.curvature != 0) args->loss = GiveLoss(loss);
    if (micro_batch == 0) profile_.Align();
    costs_.Counted(engine_, [&] {
      Call("accumulate", table_.accumulate, args, micro_batch);
      profile_.Note("accumulate", step_, micro_batch, observation_);
    });
    if (loss) loss->EndMicroBatch();
  }

  /// Makes the loss of the micro-batch that inputs_ give.
  const zerocts_loss* GiveLoss(std::optional<QuadraticLoss>& loss) {
    return loss.emplace(case_, inputs_, [this](const std::string& what) { caller_.Broke(what); }).table();
  }

  void ForwardBackward(int micro_batch) {
    const zerocts_model_extension* extension = nullptr;
    Call("get_extension", [&] {
      extension = static_cast<const zerocts_model_extension*>(setting_.plugin.Extension(ZEROCTS_MODEL_EXTENSION));
      return static_cast<zerocts_status*>(nullptr);
    });
    if (!extension || extension->struct_size < sizeof(*extension) || !extension->forward_backward) {
      throw Refusal{"get_extension", step_, ZEROCTS_UNIMPLEMENTED,
                    "\"models\" is declared, but the extension " ZEROCTS_MODEL_EXTENSION " is missing"};
    }
    inputs_.GiveBatch(step_, micro_batch);
    GuardedArgs<zerocts_forward_backward_args> args(engine_);
    args->step = static_cast<uint64_t>(step_);
    args->micro_batch = static_cast<uint32_t>(micro_batch);
    args->batch = static_cast<uint32_t>(experiment_.batch);
    args->context = static_cast<uint32_t>(ContextOf(*experiment_.model));
    args->inputs = inputs_.tokens();
    args->targets = inputs_.targets();
    args->loss = std::numeric_limits<double>::quiet_NaN();
    if (micro_batch == 0) profile_.Align();
    costs_.Counted(engine_, [&] {
      Call("forward_backward", extension->forward_backward, args, micro_batch);
      profile_.Note("forward_backward", step_, micro_batch, observation_);
    });
    losses_.push_back(args->loss);
  }

  void Step() {
    GuardedArgs<zerocts_step_args> args(engine_);
    args->step = static_cast<uint64_t>(step_);
    args->grad_norm = args->clip_coefficient = kPoison;
    args->loss_scale = experiment_.loss_scaling.kind == LossScaleKind::kNone ? 1.0f : kPoison;
    profile_.Align();
    costs_.Counted(engine_, [&] {
      Call("step", table_.step, args);
      profile_.Note("step", step_, -1, observation_);
    });
    observation_.scalars.push_back(
        {step_, args->grad_norm, args->clip_coefficient, losses_, args->skipped != 0, args->loss_scale});
  }

  /// Tells of the step that was just made.
  bool GoesOnAfter(std::chrono::nanoseconds took) {
    const StepScalars& scalars = observation_.scalars.back();
    SteppedMessage step{.step = step_,
                        .nanoseconds = took.count(),
                        .grad_norm = scalars.grad_norm,
                        .clip_coefficient = scalars.clip_coefficient,
                        .losses = scalars.losses};
    for (size_t p = 0; case_.observe_parameters && p < experiment_.parameters.size(); ++p)
      step.parameters.push_back(HashOf(reader_.ReadParameter(engine_, static_cast<int>(p))));
    LookAtMemory();
    return !setting_.steps || setting_.steps->GoesOnAfter(std::move(step));
  }

  /// Of the first step.
  void NoteMemory(const char* point) {
    if (!profile_.observed() || step_ > 0) return;
    GuardedArgs<zerocts_memory_args> args(engine_);
    Call("memory", table_.memory, args);
    profile_.NotePoint(point, ReportedBy(*args.args()), host_.memory().held(), observation_);
  }

  void ReadMemory() {
    GuardedArgs<zerocts_memory_args> args(engine_);
    Call("memory", table_.memory, args);
    observation_.reported = ReportedBy(*args.args());
    observation_.allocated = host_.memory().held();
    observation_.allocated_peak_bytes = host_.memory().peak_bytes();
    if (setting_.plugin.capabilities().memory_estimate) observation_.memory_plan = MemoryPlanFrom(*args.args());
    observation_.process_heap_growth_bytes =
        setting_.heap.End(setting_.rank, setting_.rendezvous, deadline_ms_, HeapBytesOf(observation_));
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
  RankObservation observation_;
  SubjectReader reader_;
  CostMeter costs_;
  EventRecorder events_;
  CallProfile profile_;
  CheckpointCalls checkpoint_;
  bool subject_computes_ = false;
  zerocts_engine* engine_ = nullptr;
  int64_t step_ = -1;
  std::vector<double> losses_;
};

}  // namespace

CaseAnswer RunCase(const RankSetting& setting, const Case& c, uint64_t run, uint32_t deadline_ms,
                   const std::string& checkpoint_folder) {
  const bool share_process = setting.ranks_in_process > 1;
  const Capabilities can = CapabilitiesFromJson(setting.plugin.table().capabilities, setting.options);
  if (std::string beyond = BeyondCapabilities(c, can, share_process); !beyond.empty()) {
    return UnsupportedMessage{run, std::move(beyond)};
  }
  const zerocts_subject& table = setting.plugin.table();
  if (c.undeclared && table.abi_minor < ZEROCTS_ABI_MINOR) {
    return UnsupportedMessage{run, fmt::format("requests of version 1.{} of the ABI (it was compiled with 1.{})",
                                               ZEROCTS_ABI_MINOR, table.abi_minor)};
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
