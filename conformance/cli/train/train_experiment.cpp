#include "conformance/cli/train/train_experiment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/data.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/optim/schedule.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kMostMicroBatches = 1024;  // W * K gradients are held at once
constexpr uint64_t kLargestDimension = 1 << 20;
constexpr uint64_t kMostExperts = 1 << 10;

float NotNegative(const std::string& option, const std::string& text) {
  float number = -1.0f;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number < 0) {
    throw UsageError(fmt::format("{}: expected a number of 0 or more, such as 0.01; got '{}'", option, text));
  }
  return number;
}

void SetSize(int64_t& size, const char* option, const std::string& text) {
  if (!text.empty()) size = static_cast<int64_t>(WholeNumber(option, text, 1, kLargestDimension));
}

void SetSizes(MlpSpec& mlp, const TrainOptions& options) {
  for (const auto& [option, text] : {std::pair{"--layers", options.layers},
                                     {"--heads", options.heads},
                                     {"--kv-heads", options.kv_heads},
                                     {"--width", options.width},
                                     {"--untied", options.untied ? "yes" : ""},
                                     {"--sequence-parallel", options.sequence_parallel ? "yes" : ""}}) {
    if (!text.empty())
      throw UsageError(fmt::format("{}: expected a gpt model (tiny, small, gpt2-124m), got mlp", option));
  }
  SetSize(mlp.vocab, "--vocab", options.vocab);
  SetSize(mlp.context, "--context", options.context);
  SetSize(mlp.slice_order.slices, "--slices", options.slices);
  mlp.vocab_parallel = options.vocab_parallel;
  if (!options.experts.empty())
    mlp.experts = static_cast<int>(WholeNumber("--experts", options.experts, 1, kMostExperts));
}

void SetSizes(GptSpec& gpt, const TrainOptions& options) {
  if (!options.experts.empty()) throw UsageError("--experts: expected the model mlp, got a gpt");
  SetSize(gpt.vocab, "--vocab", options.vocab);
  SetSize(gpt.context, "--context", options.context);
  SetSize(gpt.layers, "--layers", options.layers);
  SetSize(gpt.heads, "--heads", options.heads);
  gpt.kv_heads = gpt.heads;
  SetSize(gpt.kv_heads, "--kv-heads", options.kv_heads);
  SetSize(gpt.width, "--width", options.width);
  SetSize(gpt.slice_order.slices, "--slices", options.slices);
  gpt.tied = !options.untied;
  gpt.vocab_parallel = options.vocab_parallel;
  gpt.sequence_parallel = options.sequence_parallel;
}

/// The model, its groups and its schedule: matrices decay, biases do not; the learning rate warms up for a tenth of the
/// steps, then falls.
void ChooseTraining(Experiment& e, const TrainOptions& options, const Recipe& recipe) {
  e.model = recipe.model;
  std::visit([&](auto& spec) { SetSizes(spec, options); }, *e.model);
  if (const std::string problem = Problem(*e.model); !problem.empty()) throw UsageError(problem);
  SetModel(e, *e.model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.precision = PrecisionFromString(options.precision);
  e.optimizer = OptimizerKindFromString(options.optimizer);
  e.groups = {{.weight_decay = 0.01f, .momentum = 0.9f}, {.momentum = 0.9f}};
  e.max_norm = NotNegative("--max-norm", options.max_norm);
  e.steps = static_cast<int64_t>(WholeNumber("--steps", options.steps, 1, 100000));
  const float lr = NotNegative("--lr", options.lr.empty() ? recipe.lr : options.lr);
  SetLearningRates(
      e, LearningRates(LinearSchedule{.peak = lr, .warmup_steps = e.steps / 10, .final_fraction = 0.1f}, e.steps));
}

void ChooseData(Experiment& e, const TrainOptions& options, const Recipe& recipe) {
  e.world_size = static_cast<int>(WholeNumber("--world-size", options.world_size, 1, kMostMicroBatches));
  if (e.world_size % e.experts.count != 0) {
    throw UsageError(fmt::format("--experts: expected a divisor of the number of data ranks {}, got {}", e.world_size,
                                 e.experts.count));
  }
  e.micro_batches =
      static_cast<int>(WholeNumber("--micro-batches", options.micro_batches, 1, kMostMicroBatches / e.world_size));
  e.batch =
      static_cast<int64_t>(WholeNumber("--batch", options.batch.empty() ? recipe.batch : options.batch, 1, 65536));
  e.seed = WholeNumber("--seed", options.seed, 0, UINT64_MAX);
  e.text = options.text.empty() ? DefaultTextPath() : options.text;
  e.text_hash = TextCorpus::Load(e.text).hash();
  MakeBatch(e, TextCorpus::LoadFor(e), 0, 0);  // throws when the text is too short
}

/// The whole text, or, where that is no JSON, its first line. Throws JsonTextError, about the whole text.
nlohmann::json FirstValueIn(const std::string& text) {
  try {
    return ParseJson(text);
  } catch (const JsonTextError& of_all) {
    try {
      return ParseJson(text.substr(0, text.find('\n')));
    } catch (const JsonTextError&) {
      throw of_all;
    }
  }
}

/// The first value, or that field of it, as in a trace's header.
nlohmann::json ExperimentIn(const std::string& text) {
  nlohmann::json first = FirstValueIn(text);
  return first.is_object() && first.contains("experiment") ? first["experiment"] : first;
}

}  // namespace

Experiment ExperimentFromFile(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text)
    throw UsageError(fmt::format("--experiment: expected a file that can be read, got {}; check the path", path));
  try {
    Experiment e = ExperimentFromJson(ExperimentIn(*text));
    if (const std::string problem = Problem(e); !problem.empty()) throw std::invalid_argument("experiment." + problem);
    if (e.gradients == GradientSource::kModel)
      MakeBatch(e, TextCorpus::LoadFor(e), 0, 0);  // throws when the text is wrong
    return e;
  } catch (const JsonTextError& wrong) {
    throw UsageError(fmt::format("--experiment {}: expected an experiment's JSON or a trace of zerocts train; {}", path,
                                 wrong.what()));
  } catch (const std::exception& wrong) {
    throw UsageError(fmt::format("--experiment {}: {}", path, wrong.what()));
  }
}

Experiment ExperimentOf(const TrainOptions& options) {
  Experiment e;
  try {
    const Recipe recipe = RecipeOf(options.model);
    ChooseTraining(e, options, recipe);
    ChooseData(e, options, recipe);
  } catch (const std::invalid_argument& wrong_name) {
    throw UsageError(fmt::format("--{}", wrong_name.what()));
  } catch (const std::runtime_error& wrong_text) {
    throw UsageError(wrong_text.what());
  }
  return e;
}

Recipe RecipeOf(const std::string& model) {
  if (model == "mlp") return {MlpSpec{.vocab = 256, .context = 8, .embedding = 16, .hidden = {128}}, "0.01", "32"};
  if (model == "tiny") return {GptSize(model), "0.003", "8"};
  if (model == "small") return {GptSize(model), "0.001", "4"};
  if (model == "gpt2-124m") return {GptSize(model), "0.0006", "1"};
  throw UsageError(fmt::format("--model: expected mlp, tiny, small or gpt2-124m; got '{}'", model));
}

}  // namespace zerocts
