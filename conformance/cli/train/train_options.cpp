#include "conformance/cli/train/train_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "conformance/cli/values.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

/// "; default: 128 (mlp), 64 (tiny), ..", of the models that have a value.
template <typename Value>
std::string DefaultsBy(Value value) {
  std::vector<std::string> defaults;
  for (const char* model : kModels) {
    if (const std::string text = value(RecipeOf(model)); !text.empty()) {
      defaults.push_back(fmt::format("{} ({})", text, model));
    }
  }
  return fmt::format("; default: {}", fmt::join(defaults, ", "));
}

std::string OfGpt(int64_t GptSpec::*size) {
  return DefaultsBy([size](const Recipe& recipe) {
    const auto* gpt = std::get_if<GptSpec>(&recipe.model);
    return gpt ? std::to_string(gpt->*size) : "";
  });
}

}  // namespace

std::vector<CLI::Option*> AddTrainOptions(CLI::App& command, TrainOptions& options) {
  std::vector<CLI::Option*> added;
  const auto add = [&](const char* name, std::string& value, const std::string& help) {
    added.push_back(command.add_option(name, value, help));
    if (!value.empty()) added.back()->capture_default_str();
  };
  add("--text", options.text, "Any text file; default: a licence that every Debian machine has");
  add("--model", options.model, "mlp, or a GPT: tiny, small, gpt2-124m");
  add("--vocab", options.vocab,
      "Tokens; up to 256 bytes, above that byte pairs learned from the text" +
          DefaultsBy([](const Recipe& recipe) { return std::to_string(VocabOf(recipe.model)); }));
  add("--context", options.context, "Tokens that the model sees (T)" + DefaultsBy([](const Recipe& recipe) {
                                      return std::to_string(ContextOf(recipe.model));
                                    }));
  add("--layers", options.layers, "GPT: blocks" + OfGpt(&GptSpec::layers));
  add("--heads", options.heads, "GPT: attention heads, a divisor of the width" + OfGpt(&GptSpec::heads));
  add("--kv-heads", options.kv_heads,
      "GPT: heads of keys and values, a divisor of the heads (grouped-query attention); default: as many");
  add("--width", options.width, "GPT: channels (C)" + OfGpt(&GptSpec::width));
  add("--slices", options.slices,
      "Sums that tensor ranks would split are added in so many slices, the same bits for any number of ranks that "
      "divides it; GPT: a divisor of the heads, and of --kv-heads");
  add("--experts", options.experts,
      "mlp: copies of the last hidden layer; the data of rank r goes through copy r mod E. A divisor of the ranks");
  added.push_back(
      command.add_flag("--untied", options.untied, "GPT: the head has a weight of its own, not the token embedding"));
  added.push_back(
      command.add_flag("--vocab-parallel", options.vocab_parallel,
                       "Tensor ranks split embedding, head and loss by tokens; sums over tokens in slices"));
  added.push_back(
      command.add_flag("--sequence-parallel", options.sequence_parallel,
                       "GPT: tensor ranks split the positions between their layers; sums over them in slices"));
  add("--steps", options.steps, "Optimizer steps");
  add("--precision", options.precision, "fp32, or bf16 (parameters and gradients; masters and moments stay fp32)");
  add("--optimizer", options.optimizer, "adamw, adam, lamb or sgd (run: adamw where the subject declares it)");
  add("--lr", options.lr,
      "Peak learning rate: warm-up over a tenth of the steps, then linear decay to a tenth of it" +
          DefaultsBy([](const Recipe& recipe) { return std::string(recipe.lr); }));
  add("--batch", options.batch,
      "Sequences per micro-batch" + DefaultsBy([](const Recipe& recipe) { return std::string(recipe.batch); }));
  add("--micro-batches", options.micro_batches, "Micro-batches per rank and step (K)");
  add("--max-norm", options.max_norm, "Gradients are clipped to this norm; 0: not at all");
  add("--seed", options.seed, "Initial values and batches");
  return added;
}

void AddThreadsOption(CLI::App& command, std::string& threads) {
  command.add_option("--threads", threads,
                     "Threads of the reference; any number gives the same bits. Default: all cores");
}

int ThreadsOf(const std::string& option) {
  if (!option.empty()) return static_cast<int>(WholeNumber("--threads", option, 1, kMostHostThreads));
  return std::clamp<int>(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostHostThreads);
}

void PrintTraining(const Experiment& e) {
  const bool trains_model = e.gradients == GradientSource::kModel;
  fmt::print("{} of {} elements in {} parameters, {}, {}, kernels {}\n",
             trains_model ? KindOf(*e.model) : ToString(e.gradients) + " gradients", TotalNumel(e), e.parameters.size(),
             ToString(e.precision), ToString(e.optimizer), ChosenHostKernels());
  if (trains_model) fmt::print("text {} (XXH3-128 {})\n", e.text, e.text_hash);
}

std::string StepText(const Experiment& e, int64_t step, double mean_loss, float grad_norm, float clip_coefficient) {
  const std::string loss = e.gradients == GradientSource::kModel ? fmt::format("loss {:.4f}  ", mean_loss) : "";
  const bool is_computed = grad_norm == grad_norm || e.max_norm != 0;
  const std::string norm = is_computed ? fmt::format("norm {:.4f}  clip {:.4f}  ", grad_norm, clip_coefficient) : "";
  return fmt::format("step {:>6} of {}  {}{}lr {:.3g}", step + 1, e.steps, loss, norm, GroupsAtStep(e, step)[0].lr);
}

void PrintHashes(const std::string& what, const std::vector<std::pair<std::string, std::string>>& hashes) {
  fmt::print("\n{:<32} {}\n", what + " after the last step", "XXH3-128");
  for (const auto& [name, hash] : hashes) fmt::print("{:<32} {}\n", name, hash);
}

double TokensPerStep(const Experiment& e) {
  if (e.gradients != GradientSource::kModel) return 0;
  const double sequences = static_cast<double>(e.world_size) * e.micro_batches * static_cast<double>(e.batch);
  return sequences * static_cast<double>(TargetsPerSequence(*e.model));
}

}  // namespace zerocts
