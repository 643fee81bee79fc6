#include "conformance/host/case_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "conformance/host/capability_check.hpp"
#include "conformance/host/case_inputs.hpp"
#include "conformance/host/host_table.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

namespace {

constexpr uint64_t kReadOrderStream = 1001;  // apart from the streams of experiments
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The subject returned a status.
struct Refusal {
  std::string call;
  int64_t step;
  int code;
  std::string text;
};

template <typename Args>
Args ArgsFor(zerocts_engine* engine) {
  Args args{};
  args.struct_size = sizeof(args);
  args.engine = engine;
  return args;
}

zerocts_group GroupValues(const HyperParameters& h) {
  zerocts_group group{};
  group.struct_size = sizeof(group);
  group.lr = h.lr;
  group.weight_decay = h.weight_decay;
  group.momentum = h.momentum;
  group.beta1 = h.beta1;
  group.beta2 = h.beta2;
  group.eps = h.eps;
  return group;
}

template <typename Struct>
std::vector<const Struct*> PointersTo(const std::vector<Struct>& structs) {
  std::vector<const Struct*> pointers;
  for (const Struct& s : structs) pointers.push_back(&s);
  return pointers;
}

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
        host_(setting.rendezvous, setting.page, c.poison_memory, setting.ranks_in_process > 1) {
    subject_computes_ = experiment_.gradients == GradientSource::kModel &&
                         Declares(setting.plugin.capabilities().models, KindOf(*experiment_.model));
    observation_.rank = setting.rank;
    observation_.ranks_in_process = setting.ranks_in_process;
    if (setting.plugin.changed_arithmetic()) Note("loading the plugin changed MXCSR (flush to zero or rounding); it was restored");
  }

  /// Throws Refusal.
  void Run() {
    PoisonMalloc(case_.poison_memory);
    if (case_.observe_memory) setting_.heap.Begin(setting_.rank, setting_.rendezvous, deadline_ms_);
    Open();
    ReadOwned();
    Observe();
    for (step_ = 0; step_ < experiment_.steps; ++step_) {
      SetGroups();
      GiveMicroBatches();
      if (case_.read_before_step && ObservesStep()) ReadParameters("parameter_before_step");
      Step();
      Observe();
    }
    --step_;
    if (case_.observe_memory) ReadMemory();
    observation_.input_hash = inputs_.Hash();
  }

  void Close() {
    if (!engine_) return;
    Call("close", [&] {
      table_.close(engine_);
      return static_cast<zerocts_status*>(nullptr);
    });
    const MemoryReading left = host_.memory().held();
    const uint64_t bytes = left.parameter_bytes + left.gradient_bytes + left.optimizer_bytes + left.buffer_bytes;
    if (bytes) Note(fmt::format("close left {} bytes of the host's alloc unfreed", bytes));
  }

  RankObservation& observation() { return observation_; }
  std::vector<std::string>& notes() { return notes_; }

 private:
  template <typename Function>
  void Call(const char* name, Function call, int micro_batch = -1) {
    setting_.page.Enter(name, step_, micro_batch);
    ArithmeticGuard arithmetic;
    zerocts_status* status = nullptr;
    try {
      status = call();
    } catch (const std::exception& crossed) {
      throw Refusal{name, step_, ZEROCTS_INTERNAL, fmt::format("a C++ exception crossed the border: {}", crossed.what())};
    }
    if (arithmetic.Restore()) Note(std::string(name) + " changed MXCSR (flush to zero or rounding); it was restored");
    if (!status) return;
    const char* text = table_.status_message(status);
    Refusal refusal{name, step_, table_.status_code(status), text ? text : "no message"};
    table_.status_free(status);
    throw refusal;
  }

  void Note(std::string note) {
    if (!Declares(notes_, note)) notes_.push_back(std::move(note));
  }

  void Open() {
    std::vector<zerocts_parameter> parameters;
    for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
      const ParameterSpec& spec = experiment_.parameters[p];
      zerocts_parameter& parameter = parameters.emplace_back();
      parameter.struct_size = sizeof(parameter);
      parameter.name = spec.name.c_str();
      parameter.group = static_cast<uint32_t>(spec.group);
      parameter.ndim = static_cast<uint32_t>(spec.shape.size());
      parameter.shape = spec.shape.data();
      parameter.numel = spec.numel();
      parameter.initial = inputs_.initial()[p].data();
    }
    std::vector<zerocts_group> groups;
    for (const HyperParameters& values : GroupsAtStep(experiment_, 0)) groups.push_back(GroupValues(values));
    std::vector<zerocts_option> options;
    for (const auto& [key, value] : setting_.options) options.push_back({sizeof(zerocts_option), key.c_str(), value.c_str()});
    const auto parameter_pointers = PointersTo(parameters);
    const auto group_pointers = PointersTo(groups);
    const auto option_pointers = PointersTo(options);
    const std::string model = subject_computes_ ? ToJson(*experiment_.model).dump() : "";

    auto args = ArgsFor<zerocts_open_args>(nullptr);
    args.host = host_.table();
    args.rank = static_cast<uint32_t>(setting_.rank);
    args.world_size = static_cast<uint32_t>(setting_.world_size);
    args.stage = static_cast<uint32_t>(case_.stage);
    args.param_dtype = experiment_.precision == Precision::kBf16 ? ZEROCTS_BF16 : ZEROCTS_FP32;
    args.optimizer = experiment_.optimizer == OptimizerKind::kAdamW ? ZEROCTS_ADAMW : ZEROCTS_SGD;
    args.micro_batches = static_cast<uint32_t>(experiment_.micro_batches);
    args.max_norm = experiment_.max_norm;
    args.clip_epsilon = experiment_.clip_epsilon;
    args.reduction_order = case_.reduction_order.c_str();
    args.plan = case_.plan.c_str();
    args.bucket_cap_bytes = case_.bucket_cap_bytes;
    args.deadline_ms = deadline_ms_;
    args.n_parameters = static_cast<uint32_t>(parameters.size());
    args.n_groups = static_cast<uint32_t>(groups.size());
    args.n_options = static_cast<uint32_t>(options.size());
    args.parameters = parameter_pointers.data();
    args.groups = group_pointers.data();
    args.options = option_pointers.data();
    args.model = subject_computes_ ? model.c_str() : nullptr;
    try {
      Call("open", [&] { return table_.open(&args); });
    } catch (...) {
      engine_ = args.engine;
      throw;
    }
    engine_ = args.engine;
    if (!engine_) throw Refusal{"open", step_, ZEROCTS_INTERNAL, "open succeeded without an engine"};
    inputs_.ForgetInitial();
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
        losses_.push_back(inputs_.ComputeGradients(parameters, inputs_.GiveBatch(step_, k)));
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
    Call("accumulate", [&] { return table_.accumulate(&args); }, micro_batch);
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
    Call("forward_backward", [&] { return extension->forward_backward(&args); }, micro_batch);
    losses_.push_back(args.loss);
  }

  void Step() {
    auto args = ArgsFor<zerocts_step_args>(engine_);
    args.step = static_cast<uint64_t>(step_);
    args.grad_norm = args.clip_coefficient = kNan;
    Call("step", [&] { return table_.step(&args); });
    observation_.scalars.push_back({step_, args.grad_norm, args.clip_coefficient, losses_});
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
    if (experiment_.precision == Precision::kFp32) {
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

  void ReadState(const std::string& state) {
    if (!Declares(setting_.plugin.capabilities().states, state)) return;
    for (size_t p = 0; p < observation_.owned.size(); ++p) {
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
        Record(state, static_cast<int>(p), owned, std::move(values));
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
  bool subject_computes_ = false;
  zerocts_engine* engine_ = nullptr;
  int64_t step_ = -1;
  std::vector<double> losses_;
  std::vector<Bf16> bf16_;
  RankObservation observation_;
  std::vector<std::string> notes_;
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
