#include "bench/subject/bench_case.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bench/engine/workload.hpp"
#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/models.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

constexpr double kFewPages = 4 * 4096;  // which a process takes now and then that holds no more

void TrainOnText(const Capabilities& can, const BenchSize& size, Case& c) {
  if (!Contains(can.models, std::string("gpt"))) {
    throw UsageError("--train: expected a subject that declares the model gpt, got one that does not; leave it out");
  }
  if (!size.model.gpt) {
    throw UsageError(
        fmt::format("--train: expected a model that can be trained, got {}, which is shapes alone; give a "
                    "GPT by --model",
                    size.model.name));
  }
  Experiment& e = c.experiment;
  e.gradients = GradientSource::kModel;
  e.model = *size.model.gpt;
  e.initial = InitialValues::kModel;
  e.batch = UsualBatch(size.model.name);
  e.text = DefaultTextPath();
  e.text_hash = TextCorpus::Load(e.text).hash();
  c.fidelity = can.inexact_models ? Fidelity::kBounded
               : can.own_models   ? Fidelity::kSelfParity
                                  : Fidelity::kDeclaredOrder;
}

void Observe(const Capabilities& can, Case& c) {
  c.poison_memory = c.observe_parameters = c.observe_states = false;
  c.observe_last_step_only = c.observe_profile = true;
  c.observe_traffic = can.traffic;
  c.observe_timeline = can.timeline && c.experiment.gradients == GradientSource::kModel;
}

/// Bytes of a rank's part of them, in fp32.
double ShareOfParameters(const BenchSize& size) {
  return static_cast<double>(sizeof(float)) * static_cast<double>(size.model.numel()) / size.ranks;
}

}  // namespace

int64_t BenchModel::numel() const {
  int64_t sum = 0;
  for (const ParameterSpec& parameter : parameters) sum += parameter.numel();
  return sum;
}

BenchModel BenchModelNamed(const std::string& word) {
  BenchModel model{.name = word, .parameters = {}, .gpt = GptNamed(word)};
  if (model.gpt) {
    model.parameters = ModelParameters(*model.gpt);
    return model;
  }
  for (const plan::Tensor& tensor : ModelNamed(word)) {
    if (tensor.frozen || tensor.tied_to >= 0) {
      throw UsageError(fmt::format("--model {}: expected tensors that are all updated, got \"{}\", which is {}", word,
                                   tensor.name, tensor.frozen ? "frozen" : "tied to another"));
    }
    model.parameters.push_back({.name = tensor.name, .shape = tensor.shape, .group = tensor.group});
  }
  if (word.find('/') != std::string::npos) model.name = std::filesystem::path(word).stem().string();
  return model;
}

Case BenchCase(const Capabilities& can, const BenchArrangement& arrangement, const BenchSize& size) {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = size.model.parameters;
  e.optimizer = UsualOptimizer(can);
  e.formula = FormulaOf(can, e.optimizer);
  e.groups = std::vector<HyperParameters>(can.groups ? 2 : 1, HyperParameters{.lr = 1e-4f});
  for (ParameterSpec& parameter : e.parameters) parameter.group = can.groups ? parameter.group : 0;
  e.precision = arrangement.precision;
  e.world_size = size.ranks;
  e.steps = size.steps;
  c.stage = arrangement.stage;
  c.plan = arrangement.plan;
  c.overlap = arrangement.overlap;
  c.offload = arrangement.offload;
  if (size.trains) TrainOnText(can, size, c);
  Observe(can, c);
  if (const std::string problem = Problem(c); !problem.empty()) {
    throw UsageError(fmt::format("--model {}, --ranks {}, --steps {}: {}; choose less of them", size.model.name,
                                 size.ranks, size.steps - 1, problem));
  }
  return c;
}

int64_t TokensPerStep(const BenchSize& size) {
  return size.trains ? size.ranks * UsualBatch(size.model.name) * size.model.gpt->context : 0;
}

double LeastLeak(const BenchSize& size) {
  const auto steps = static_cast<double>(std::max<int64_t>(size.steps - 1 - MiddleStep(size.steps), 1));
  return std::max(0.005 * ShareOfParameters(size), kFewPages / steps);
}

std::string LeakInWords(double gained, const BenchSize& size) {
  return fmt::format("{:.3f} kB in each step, {:.1f} % of its share of the parameters", 1e-3 * gained,
                     100 * gained / ShareOfParameters(size));
}

int64_t BytesWithoutSharding(const BenchArrangement& arrangement, const BenchSize& size) {
  const int64_t of_element = arrangement.precision == Precision::kBf16 ? 2 + 4 + 12 : 4 + 4 + 8;
  return size.model.numel() * of_element * size.ranks;
}

}  // namespace zerocts
