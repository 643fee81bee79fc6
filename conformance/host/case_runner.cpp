#include "conformance/host/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "conformance/host/capability_check.hpp"
#include "conformance/host/case_inputs.hpp"
#include "conformance/host/checkpoint_calls.hpp"
#include "conformance/host/cost_meter.hpp"
#include "conformance/host/host_table.hpp"
#include "conformance/host/open_request.hpp"
#include "conformance/host/subject_caller.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

namespace {

constexpr uint64_t kReadOrderStream = 1001;  // apart from the streams of experiments
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool Declares(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class CaseRun {
 public:
  CaseRun(const RankSetting& setting, const Case& c, uint32_t deadline_ms)
      : setting_(setting),
        case_(c),
        experiment_(c.experiment),
        table_(setting.plugin.table()),
        deadline_ms_(deadline_ms / 4 * 3),  // the subject says who is missing before the conductor gives up
        inputs_(c, setting.rank),
        host_(setting.rendezvous, setting.page, c.poison_memory, setting.ranks_in_process > 1),
        caller_(table_, setting.page),
        costs_(c, caller_),
        checkpoint_(setting.checkpoint_folder, setting.rendezvous, caller_, deadline_ms_) {
    subject_computes_ = experiment_.gradients == GradientSource::kModel &&
                         Declares(setting.plugin.capabilities().models, KindOf(*experiment_.model));
    observation_.rank = setting.rank;
    observation_.ranks_in_process = setting.ranks_in_process;
    if (setting.plugin.changed_arithmetic()) caller_.Note("loading the plugin changed MXCSR (flush to zero or rounding); it was restored");
  }

  /// Throws Refusal.
  void Run() {
    PoisonMalloc(case_.poison_memory);
    if (case_.observe_memory) setting_.heap.Begin(setting_.rank, setting_.rendezvous, deadline_ms_);
    Open(inputs_.initial());
    inputs_.ForgetInitial();
    ReadOwned();
    Observe();
    for (step_ = 0; step_ < experiment_.steps; ++step_) {
      SetGroups();
      SetFrozen();
      GiveMicroBatches();
      if (case_.read_before_step && ObservesStep()) ReadParameters("parameter_before_step");
      Step();
      costs_.EndStep(engine_, observation_);
      Observe();
      if (case_.checkpoint && case_.checkpoint->after_step == step_) PassCheckpoint();
    }
    --step_;
    if (case_.observe_memory) ReadMemory();
    observation_.input_hash = inputs_.Hash();
  }

  void Close() {
    if (!engine_) return;
    Call("close", [&] {
      table_.close(std::exchange(engine_, nullptr));
      return static_cast<zerocts_status*>(nullptr);
    });
    const MemoryReading left = host_.memory().held();
    if (left.total()) caller_.Note(fmt::format("close left {} bytes of the host's alloc unfreed", left.total()));
  }

  RankObservation& observation() { return observation_; }
  std::vector<std::string>& notes() { return caller_.notes(); }

 private:
  template <typename Function>
  void Call(const char* name, Function call, int micro_batch = -1) {
    caller_.StandAt(step_);
    caller_.Call(name, call, micro_batch);
  }

  void Open(const std::vector<std::vector<float>>& initial) {
    const std::string model = subject_computes_ ? ToJson(*experiment_.model).dump() : "";
    OpenRequest request(case_, setting_.rank, initial, setting_.options, model);
    request.args.host = host_.table();
    request.args.deadline_ms = deadline_ms_;
    try {
      Call("open", [&] { return table_.open(&request.args); });
    } catch (...) {
      engine_ = request.args.engine;
      throw;
    }
    engine_ = request.args.engine;
    if (!engine_) throw Refusal{"open", step_, ZEROCTS_INTERNAL, "open succeeded without an engine"};
  }

  /// Saves; to resume, goes on with a fresh engine that was opened with other values.
  void PassCheckpoint() {
    checkpoint_.Save(engine_);
    if (case_.checkpoint->damage) checkpoint_.DamageOneFile(*case_.checkpoint->damage, setting_.rank);
    if (!ResumesAfter(case_, step_)) return;
    Close();
    host_.BeginEngine();
    Open(inputs_.OtherInitial());
    checkpoint_.Load(engine_);
    ObserveResumed();
  }

  void SetGroups() {
    if (step_ == 0) return;  // open had these
    for (const HyperParameterChange& change : experiment_.changes) {
      if (change.step != step_) continue;
      const zerocts_group values = GroupValues(change.values);
      auto args = ArgsFor<zerocts_set_group_args>(engine_);
      args.group = static_cast<uint32_t>(change.group);
      args.values = &values;
      Call("set_group", [&] { return table_.set_group(&args); });
    }
  }

  /// Tells what froze or thawed since the step before.
  void SetFrozen() {
    const ParameterRoles& roles = experiment_.roles;
    for (int p = 0; p < static_cast<int>(experiment_.parameters.size()); ++p) {
      const bool frozen = roles.IsFrozen(p, step_), before = step_ > 0 && roles.IsFrozen(p, step_ - 1);
      if (roles.OwnerOf(p) != p || frozen == before) continue;
      auto args = ArgsFor<zerocts_set_frozen_args>(engine_);
      args.parameter = static_cast<uint32_t>(p);
      args.frozen = frozen;
      Call("set_frozen", [&] { return table_.set_frozen(&args); });
    }
  }

  /// K micro-batches: given gradients, or the model, computed by the subject or for it.
  void GiveMicroBatches() {
    losses_.clear();
    std::vector<std::vector<float>> parameters;
    const bool host_computes = experiment_.gradients == GradientSource::kModel && !subject_computes_;
    for (size_t p = 0; host_computes && p < experiment_.parameters.size(); ++p) parameters.push_back(ReadParameter(static_cast<int>(p)));
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
      Accumulate(k);
      inputs_.ForgetGradients();
    }
  }

  void Accumulate(int micro_batch) {
    auto args = ArgsFor<zerocts_accumulate_args>(engine_);
    args.step = static_cast<uint64_t>(step_);
    args.micro_batch = static_cast<uint32_t>(micro_batch);
    args.n_gradients = static_cast<uint32_t>(inputs_.gradients().size());
    args.gradients = inputs_.gradients().data();
    costs_.Counted(engine_, [&] { Call("accumulate", [&] { return table_.accumulate(&args); }, micro_batch); });
  }

  void ForwardBackward(int micro_batch) {
    const auto* extension = static_cast<const zerocts_model_extension*>(setting_.plugin.Extension(ZEROCTS_MODEL_EXTENSION));
    if (!extension || extension->struct_size < sizeof(*extension) || !extension->forward_backward) {
      throw Refusal{"get_extension", step_, ZEROCTS_UNIMPLEMENTED, "\"models\" is declared, but the extension " ZEROCTS_MODEL_EXTENSION " is missing"};
    }
    const Batch& batch = inputs_.GiveBatch(step_, micro_batch);
    auto args = ArgsFor<zerocts_forward_backward_args>(engine_);
    args.step = static_cast<uint64_t>(step_);
    args.micro_batch = static_cast<uint32_t>(micro_batch);
    args.batch = static_cast<uint32_t>(experiment_.batch);
    args.context = static_cast<uint32_t>(ContextOf(*experiment_.model));
    args.inputs = batch.inputs.data();
    args.targets = batch.targets.data();
    args.loss = std::numeric_limits<double>::quiet_NaN();
    costs_.Counted(engine_, [&] { Call("forward_backward", [&] { return extension->forward_backward(&args); }, micro_batch); });
    losses_.push_back(args.loss);
  }

  void Step() {
    auto args = ArgsFor<zerocts_step_args>(engine_);
    args.step = static_cast<uint64_t>(step_);
    args.grad_norm = args.clip_coefficient = kNan;
    args.loss_scale = experiment_.loss_scaling.kind == LossScaleKind::kNone ? 1.0f : kNan;
    costs_.Counted(engine_, [&] { Call("step", [&] { return table_.step(&args); }); });
    observation_.scalars.push_back({step_, args.grad_norm, args.clip_coefficient, losses_, args.skipped != 0, args.loss_scale});
  }

  bool ObservesStep() const { return !case_.observe_last_step_only || step_ == experiment_.steps - 1; }

  /// What the rank holds now: after load, or after a step.
  void Observe() {
    if (!ObservesStep()) return;
    if (case_.observe_parameters) {
      ReadParameters("parameter");
      if (case_.read_twice) ReadParameters("parameter_again");
    }
    if (case_.observe_states) {
      ReadState("master");
      for (const std::string& moment : MomentNames(experiment_.optimizer)) ReadState(moment);
    }
    if (case_.observe_gradient && step_ >= 0) ReadState("gradient");
  }

  /// What a fresh engine holds after it has loaded, before any other call.
  void ObserveResumed() {
    if (!ObservesStep()) return;
    if (case_.observe_parameters) ReadParameters(AfterResume("parameter"));
    if (!case_.observe_states) return;
    ReadState("master", AfterResume("master"));
    for (const std::string& moment : MomentNames(experiment_.optimizer)) ReadState(moment, AfterResume(moment));
  }

  void ReadOwned() {
    std::vector<zerocts_interval> intervals(8);
    for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
      auto args = ArgsFor<zerocts_owned_args>(engine_);
      do {
        intervals.resize(std::max<size_t>(intervals.size(), args.count));
        args.parameter = static_cast<uint32_t>(p);
        args.capacity = static_cast<uint32_t>(intervals.size());
        args.intervals = intervals.data();
        Call("owned", [&] { return table_.owned(&args); });
      } while (args.count > args.capacity);
      std::vector<Interval>& owned = observation_.owned.emplace_back();
      for (uint32_t i = 0; i < args.count; ++i) owned.push_back({intervals[i].begin, intervals[i].end});
    }
  }

  /// Every rank has the same order.
  std::vector<int> ReadOrderOfStep() const {
    std::vector<int> order(experiment_.parameters.size());
    std::iota(order.begin(), order.end(), 0);
    if (case_.read_order == ReadOrder::kReversed) std::reverse(order.begin(), order.end());
    if (case_.read_order == ReadOrder::kShuffled) {
      const uint64_t stream = Stream({kReadOrderStream, static_cast<uint64_t>(step_ + 1)});
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[RandomBelow(experiment_.seed, stream, i, i)]);
    }
    return order;
  }

  void ReadParameters(const std::string& what) {
    for (const int p : ReadOrderOfStep()) Record(what, p, {0, experiment_.parameters[p].numel()}, ReadParameter(p));
  }

  std::vector<float> ReadParameter(int p) {
    const size_t numel = static_cast<size_t>(experiment_.parameters[p].numel());
    std::vector<float> values(numel, kNan);
    auto args = ArgsFor<zerocts_read_parameter_args>(engine_);
    args.parameter = static_cast<uint32_t>(p);
    if (PrecisionOf(experiment_, p) == Precision::kFp32) {
      args.data = values.data();
      args.bytes = numel * sizeof(float);
      Call("read_parameter", [&] { return table_.read_parameter(&args); });
    } else {
      bf16_.assign(numel, Bf16{kCanonicalNanBf16});
      args.data = bf16_.data();
      args.bytes = numel * sizeof(Bf16);
      Call("read_parameter", [&] { return table_.read_parameter(&args); });
      std::transform(bf16_.begin(), bf16_.end(), values.begin(), ToFloat);
    }
    return values;
  }

  /// Nobody asks for states of buffers and tied names, or for a gradient that there was none of.
  bool HasState(int p, const std::string& state) const {
    return state == "gradient" ? IsUpdated(experiment_, p, step_) : experiment_.roles.HasState(p);
  }

  void ReadState(const std::string& state) { ReadState(state, state); }

  void ReadState(const std::string& state, const std::string& what) {
    if (!Declares(setting_.plugin.capabilities().states, state)) return;
    for (size_t p = 0; p < observation_.owned.size(); ++p) {
      if (!HasState(static_cast<int>(p), state)) continue;
      for (const Interval& owned : observation_.owned[p]) {
        if (owned.begin < 0 || owned.begin >= owned.end || owned.end > experiment_.parameters[p].numel()) continue;  // the tiling check's finding
        std::vector<float> values(static_cast<size_t>(owned.end - owned.begin), kNan);
        auto args = ArgsFor<zerocts_read_state_args>(engine_);
        args.state = state.c_str();
        args.parameter = static_cast<uint32_t>(p);
        args.begin = owned.begin;
        args.end = owned.end;
        args.data = values.data();
        Call("read_state", [&] { return table_.read_state(&args); });
        Record(what, static_cast<int>(p), owned, std::move(values));
      }
    }
  }

  void Record(const std::string& what, int parameter, Interval interval, std::vector<float> values) {
    observation_.tensors.push_back({step_, PhaseOf(what, step_), what, parameter, interval, "", std::move(values)});
  }

  void ReadMemory() {
    auto args = ArgsFor<zerocts_memory_args>(engine_);
    Call("memory", [&] { return table_.memory(&args); });
    observation_.reported = {args.parameter_bytes, args.gradient_bytes, args.optimizer_bytes, args.buffer_bytes};
    observation_.allocated = host_.memory().held();
    observation_.allocated_peak_bytes = host_.memory().peak_bytes();
    if (setting_.plugin.capabilities().memory_estimate) observation_.memory_plan = MemoryPlanFrom(args);
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
  SubjectCaller caller_;
  CostMeter costs_;
  CheckpointCalls checkpoint_;
  bool subject_computes_ = false;
  zerocts_engine* engine_ = nullptr;
  int64_t step_ = -1;
  std::vector<double> losses_;
  std::vector<Bf16> bf16_;
  RankObservation observation_;
};

}  // namespace

CaseAnswer RunCase(const RankSetting& setting, const Case& c, uint64_t run, uint32_t deadline_ms) {
  const bool share_process = setting.ranks_in_process > 1;
  if (std::string beyond = BeyondCapabilities(c, setting.plugin.capabilities(), share_process); !beyond.empty()) {
    return UnsupportedMessage{run, std::move(beyond)};
  }
  CaseRun case_run(setting, c, deadline_ms);
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
  setting.page.Clear();
  if (refusal) return RefusedMessage{run, refusal->call, refusal->step, refusal->code, refusal->text};
  return ObservedMessage{run, std::move(case_run.observation()), std::move(case_run.notes())};
}

}  // namespace zerocts
