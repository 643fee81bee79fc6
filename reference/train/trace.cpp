#include "reference/train/trace.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/hash.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_fields.hpp"
#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

json OrderToJson(const ReductionOrder& order) {
  json ranges = json::array();
  for (const OrderedRange& range : order.ranges) {
    ranges.push_back({{"begin", range.begin}, {"end", range.end}, {"fold", ToString(range.fold)}});
  }
  return ranges;
}

json ArithmeticToJson(const ArithmeticReport& report) {
  return {{"contracts", report.contracts},
          {"flushes_to_zero", report.flushes_to_zero},
          {"rounds_to_nearest", report.rounds_to_nearest},
          {"fma_is_fused", report.fma_is_fused}};
}

}  // namespace

std::map<std::string, std::string> TensorHashes(const Experiment& experiment, const StepTrace& trace) {
  std::map<std::string, std::string> hashes;
  const ParameterRoles& roles = experiment.roles;
  const auto add = [&](const std::string& kind, const std::vector<std::vector<float>>& tensors, auto has) {
    for (size_t p = 0; p < tensors.size(); ++p) {
      if (has(p)) hashes[kind + "/" + experiment.parameters[p].name] = HashOf(tensors[p]);
    }
  };
  const auto has_state = [&](size_t p) { return roles.HasState(p); };
  const std::vector<std::string> moments = MomentNames(experiment.optimizer);
  add("gradient", trace.gradient, [&](size_t p) { return IsUpdated(experiment, static_cast<int>(p), trace.step); });
  add("master", trace.master, has_state);
  add(moments[0], trace.moment1, has_state);
  if (moments.size() > 1) add(moments[1], trace.moment2, has_state);
  add("parameter", trace.parameter, [](size_t) { return true; });
  return hashes;
}

TraceWriter::TraceWriter(std::ostream& out, const Experiment& experiment, const ReductionOrder& order,
                         const std::string& kernels)
    : out_(out), experiment_(experiment) {
  json header = {
      {"record", "header"},          {"format", 1},        {"experiment", ToJson(experiment)},
      {"order", OrderToJson(order)}, {"kernels", kernels}, {"arithmetic", ArithmeticToJson(CheckArithmetic())}};
  if (order.sync == GradientSync::kEveryMicroBatch)
    header["gradient_sync"] = "every_micro_batch";  // not to be seen in a fold of one rank
  out_ << Dumped(header) << '\n';
}

void TraceWriter::Write(const StepTrace& trace) {
  json rates = json::array();
  for (const HyperParameters& group : GroupsAtStep(experiment_, trace.step)) rates.push_back(FloatToJson(group.lr));
  const json record = {{"record", "step"},
                       {"step", trace.step},
                       {"losses", trace.losses},
                       {"mean_loss", trace.mean_loss()},
                       {"loss_scale", FloatToJson(trace.loss_scale)},
                       {"skipped", trace.skipped},
                       {"grad_norm", FloatToJson(trace.grad_norm)},
                       {"clip_coefficient", FloatToJson(trace.clip_coefficient)},
                       {"lr", rates},
                       {"hashes", TensorHashes(experiment_, trace)}};
  out_ << Dumped(record) << '\n';
}

}  // namespace zerocts
