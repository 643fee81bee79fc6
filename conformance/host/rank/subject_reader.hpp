// What a rank holds, read through the subject's table and written into its observation, at the step where the caller
// stands.
#pragma once
#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/host/memory/output_room.hpp"
#include "conformance/host/rank/rank_context.hpp"
#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

/// Everything throws Refusal.
class SubjectReader {
 public:
  explicit SubjectReader(RankContext& context) : context_(context), room_(context.page) {}

  /// Before any state is read.
  void ReadOwned() {
    for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
      std::vector<Interval>& owned = observation_.owned.emplace_back();
      for (const zerocts_interval& interval : OwnedIntervals(p)) owned.push_back({interval.begin, interval.end});
    }
  }

  /// What is observed after load and after each step; nothing where the case looks at the last step only.
  void Observe() {
    if (ObservesStep()) ObserveThisStep();
  }
  /// The same of any step.
  void ObserveThisStep() {
    if (case_.observe_parameters) {
      ReadParameters("parameter");
      if (case_.read_twice) ReadParameters("parameter_again");
    }
    if (case_.observe_states) {
      for (const std::string& state : MasterAndMoments()) ReadState(state, state);
    }
    if (case_.observe_gradient && caller_.step() >= 0) ReadState("gradient", "gradient");
  }
  /// Observes a fresh engine that has loaded a checkpoint, before any other call.
  void ObserveResumed() {
    if (!ObservesStep()) return;
    if (case_.observe_parameters) ReadParameters(AfterResume("parameter"));
    if (!case_.observe_states) return;
    for (const std::string& state : MasterAndMoments()) ReadState(state, AfterResume(state));
  }
  /// Observes an engine before it makes the step, where the case asks for it.
  void ObserveBeforeStep() {
    if (case_.read_before_step && ObservesStep()) ObserveWithinStep();
  }
  void ObserveWithinStep() {
    if (case_.observe_parameters) ReadParameters("parameter_before_step");
  }

  std::vector<float> ReadParameter(int p) {
    if (!case_.RankHas(observation_.rank, p)) return {};
    if (PrecisionOf(experiment_, p) == Precision::kFp32) {
      const std::span<const float> values = ReadElements(p, kPoison);
      return {values.begin(), values.end()};
    }
    const std::span<const Bf16> rounded = ReadElements(p, Bf16{kCanonicalNanBf16});
    std::vector<float> values(rounded.size());
    HostOps().CastToFloat(values.data(), rounded.data(), std::ssize(rounded));
    return values;
  }

 private:
  static constexpr uint64_t kReadOrderStream = 1001;  // apart from the streams of experiments
  static constexpr uint32_t kIntervalsAtFirst = 8;

  /// Literals stand where nobody can write.
  static const char* LiteralOf(const std::string& state) {
    for (const char* literal : {"master", "momentum", "exp_avg", "exp_avg_sq", "gradient"}) {
      if (state == literal) return literal;
    }
    throw std::logic_error("state \"" + state + "\" has no literal");
  }

  bool ObservesStep() const { return !case_.observe_last_step_only || caller_.step() == experiment_.steps - 1; }
  /// Each holds an element, so there are no more than elements; a few more are read, for the judge to find.
  void ExpectReadable(size_t parameter, uint32_t count) const {
    const int64_t numel = experiment_.parameters[parameter].numel();
    if (count <= numel + kIntervalsAtFirst) return;
    throw Refusal{
        "owned", caller_.step(), ZEROCTS_INTERNAL,
        fmt::format("owned says {} intervals of parameter {}, which has {} elements", count, parameter, numel)};
  }
  /// The parameters that this rank has, in the order in which they are read, which is the same on every rank.
  std::vector<int> ReadOrder() const {
    std::vector<int> order(experiment_.parameters.size());
    std::iota(order.begin(), order.end(), 0);
    if (case_.read_order == ReadOrder::kReversed) std::reverse(order.begin(), order.end());
    if (case_.read_order == ReadOrder::kShuffled) {
      const uint64_t stream = Stream({kReadOrderStream, static_cast<uint64_t>(caller_.step() + 1)});
      for (size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[RandomBelow(experiment_.seed, stream, i, i)]);
    }
    std::erase_if(order, [&](int p) { return !case_.RankHas(observation_.rank, p); });
    return order;
  }
  void ReadParameters(const std::string& what) {
    for (const int p : ReadOrder()) Record(what, p, {0, experiment_.parameters[p].numel()}, ReadParameter(p));
  }
  std::vector<std::string> MasterAndMoments() const {
    std::vector<std::string> states = MomentNames(experiment_.optimizer);
    states.insert(states.begin(), "master");
    return states;
  }
  // What these give stands in the room until the next read.
  std::span<const zerocts_interval> OwnedIntervals(size_t p) {
    GuardedArgs<zerocts_owned_args> args(context_.engine);
    args->parameter = static_cast<uint32_t>(p);
    std::span<zerocts_interval> intervals;
    do {
      const size_t capacity = std::max(kIntervalsAtFirst, args->count);
      intervals = room_.Take(capacity, zerocts_interval{}, "owned intervals", static_cast<int>(p));
      args->capacity = static_cast<uint32_t>(capacity);
      args->intervals = intervals.data();
      Read("owned", caller_.table().owned, args);
      ExpectReadable(p, args->count);
    } while (args->count > args->capacity);
    return intervals.first(args->count);
  }
  template <typename Element>
  std::span<const Element> ReadElements(int p, Element fill) {
    const auto numel = static_cast<size_t>(experiment_.parameters[p].numel());
    const std::span<Element> elements = room_.Take(numel, fill, "values", p);
    GuardedArgs<zerocts_read_parameter_args> args(context_.engine);
    args->parameter = static_cast<uint32_t>(p);
    args->data = elements.data();
    args->bytes = elements.size_bytes();
    Read("read_parameter", caller_.table().read_parameter, args);
    return elements;
  }
  std::vector<float> ReadInterval(const std::string& state, int p, const Interval& interval) {
    const auto numel = static_cast<size_t>(interval.end - interval.begin);
    const std::span<float> values = room_.Take(numel, kPoison, LiteralOf(state), p);
    GuardedArgs<zerocts_read_state_args> args(context_.engine);
    args->state = LiteralOf(state);
    args->parameter = static_cast<uint32_t>(p);
    args->begin = interval.begin;
    args->end = interval.end;
    args->data = values.data();
    Read("read_state", caller_.table().read_state, args);
    return {values.begin(), values.end()};
  }
  /// Calls `function`, which writes to the room, and looks whether it kept to it.
  template <typename Args>
  void Read(const char* name, zerocts_status* (*function)(Args*), GuardedArgs<Args>& args) {
    caller_.Call(name, function, args);
    if (const std::string overstep = room_.Overstep(); !overstep.empty()) caller_.Broke(overstep);
  }
  /// Nobody asks for states of buffers, tied names and other ranks' experts, or for a gradient that there was none of.
  bool HasState(int p, const std::string& state) const {
    if (!case_.RankHas(observation_.rank, p)) return false;
    return state == "gradient" ? IsUpdated(experiment_, p, caller_.step()) : experiment_.roles.HasState(p);
  }
  void ReadState(const std::string& state, const std::string& what) {
    const std::vector<std::string>& declared = context_.setting.plugin.capabilities().states;
    if (std::find(declared.begin(), declared.end(), state) == declared.end()) return;
    for (int p = 0; p < static_cast<int>(observation_.owned.size()); ++p) {
      if (!HasState(p, state)) continue;
      for (const Interval& owned : observation_.owned[p]) {
        if (owned.begin < 0 || owned.begin >= owned.end || owned.end > experiment_.parameters[p].numel())
          continue;  // the tiling check's finding
        Record(what, p, owned, ReadInterval(state, p, owned));
      }
    }
  }
  void Record(const std::string& what, int parameter, Interval interval, std::vector<float> values) {
    const int64_t step = caller_.step();
    observation_.tensors.push_back({step, PhaseOf(what, step), what, parameter, interval, "", std::move(values)});
  }

  RankContext& context_;
  const Case& case_ = context_.c;
  const Experiment& experiment_ = context_.experiment;
  SubjectCaller& caller_ = context_.caller;
  RankObservation& observation_ = context_.observation;
  OutputRoom room_;
};

}  // namespace zerocts
