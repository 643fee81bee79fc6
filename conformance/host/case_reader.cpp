#include "conformance/host/case_reader.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kReadOrderStream = 1001;  // apart from the streams of experiments
constexpr uint32_t kIntervalsAtFirst = 8;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

/// Each holds an element, so there are no more than elements; a few more are read, for the judge to find.
void CaseReader::ExpectReadable(size_t parameter, uint32_t count) const {
  const int64_t numel = experiment_.parameters[parameter].numel();
  if (count <= numel + kIntervalsAtFirst) return;
  throw Refusal{"owned", caller_.step(), ZEROCTS_INTERNAL, fmt::format("owned says {} intervals of parameter {}, which has {} elements", count, parameter, numel)};
}

void CaseReader::ReadOwned(zerocts_engine* engine) {
  std::vector<zerocts_interval> intervals(kIntervalsAtFirst);
  for (size_t p = 0; p < experiment_.parameters.size(); ++p) {
    auto args = ArgsFor<zerocts_owned_args>(engine);
    do {
      intervals.resize(std::max<size_t>(intervals.size(), args.count));
      args.parameter = static_cast<uint32_t>(p);
      args.capacity = static_cast<uint32_t>(intervals.size());
      args.intervals = intervals.data();
      caller_.Call("owned", [&] { return caller_.table().owned(&args); });
      ExpectReadable(p, args.count);
    } while (args.count > args.capacity);
    std::vector<Interval>& owned = observation_.owned.emplace_back();
    for (uint32_t i = 0; i < args.count; ++i) owned.push_back({intervals[i].begin, intervals[i].end});
  }
}

bool CaseReader::ObservesStep() const { return !case_.observe_last_step_only || caller_.step() == experiment_.steps - 1; }

void CaseReader::Observe(zerocts_engine* engine) {
  if (!ObservesStep()) return;
  if (case_.observe_parameters) {
    ReadParameters(engine, "parameter");
    if (case_.read_twice) ReadParameters(engine, "parameter_again");
  }
  if (case_.observe_states) {
    for (const std::string& state : MasterAndMoments()) ReadState(engine, state, state);
  }
  if (case_.observe_gradient && caller_.step() >= 0) ReadState(engine, "gradient", "gradient");
}

void CaseReader::ObserveResumed(zerocts_engine* engine) {
  if (!ObservesStep()) return;
  if (case_.observe_parameters) ReadParameters(engine, AfterResume("parameter"));
  if (!case_.observe_states) return;
  for (const std::string& state : MasterAndMoments()) ReadState(engine, state, AfterResume(state));
}

std::vector<std::string> CaseReader::MasterAndMoments() const {
  std::vector<std::string> states = MomentNames(experiment_.optimizer);
  states.insert(states.begin(), "master");
  return states;
}

void CaseReader::ObserveBeforeStep(zerocts_engine* engine) {
  if (case_.read_before_step && ObservesStep()) ReadParameters(engine, "parameter_before_step");
}

/// Every rank has the same one.
std::vector<int> CaseReader::ReadOrder() const {
  std::vector<int> order(experiment_.parameters.size());
  std::iota(order.begin(), order.end(), 0);
  if (case_.read_order == ReadOrder::kReversed) std::reverse(order.begin(), order.end());
  if (case_.read_order == ReadOrder::kShuffled) {
    const uint64_t stream = Stream({kReadOrderStream, static_cast<uint64_t>(caller_.step() + 1)});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[RandomBelow(experiment_.seed, stream, i, i)]);
  }
  return order;
}

void CaseReader::ReadParameters(zerocts_engine* engine, const std::string& what) {
  for (const int p : ReadOrder()) Record(what, p, {0, experiment_.parameters[p].numel()}, ReadParameter(engine, p));
}

std::vector<float> CaseReader::ReadParameter(zerocts_engine* engine, int p) {
  const auto numel = static_cast<size_t>(experiment_.parameters[p].numel());
  const bool is_fp32 = PrecisionOf(experiment_, p) == Precision::kFp32;
  std::vector<float> values(numel, kNan);
  std::vector<Bf16> rounded(is_fp32 ? 0 : numel, Bf16{kCanonicalNanBf16});
  auto args = ArgsFor<zerocts_read_parameter_args>(engine);
  args.parameter = static_cast<uint32_t>(p);
  args.data = is_fp32 ? static_cast<void*>(values.data()) : rounded.data();
  args.bytes = numel * (is_fp32 ? sizeof(float) : sizeof(Bf16));
  caller_.Call("read_parameter", [&] { return caller_.table().read_parameter(&args); });
  std::transform(rounded.begin(), rounded.end(), values.begin(), ToFloat);
  return values;
}

/// Nobody asks for states of buffers and tied names, or for a gradient that there was none of.
bool CaseReader::HasState(int p, const std::string& state) const {
  return state == "gradient" ? IsUpdated(experiment_, p, caller_.step()) : experiment_.roles.HasState(p);
}

void CaseReader::ReadState(zerocts_engine* engine, const std::string& state, const std::string& what) {
  if (std::find(states_.begin(), states_.end(), state) == states_.end()) return;
  for (int p = 0; p < static_cast<int>(observation_.owned.size()); ++p) {
    if (!HasState(p, state)) continue;
    for (const Interval& owned : observation_.owned[p]) {
      if (owned.begin < 0 || owned.begin >= owned.end || owned.end > experiment_.parameters[p].numel()) continue;  // the tiling check's finding
      std::vector<float> values(static_cast<size_t>(owned.end - owned.begin), kNan);
      auto args = ArgsFor<zerocts_read_state_args>(engine);
      args.state = state.c_str();
      args.parameter = static_cast<uint32_t>(p);
      args.begin = owned.begin;
      args.end = owned.end;
      args.data = values.data();
      caller_.Call("read_state", [&] { return caller_.table().read_state(&args); });
      Record(what, p, owned, std::move(values));
    }
  }
}

void CaseReader::Record(const std::string& what, int parameter, Interval interval, std::vector<float> values) {
  const int64_t step = caller_.step();
  observation_.tensors.push_back({step, PhaseOf(what, step), what, parameter, interval, "", std::move(values)});
}

}  // namespace zerocts
