// zerocts train: the reference trainer on a text, step by step, with a hash of every tensor at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/group.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/optim/schedule.hpp"
#include "reference/train/trace.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kMostMicroBatches = 1024;  // W * K gradients are held at once
constexpr int64_t kProgressEvery = 10;

struct Options {
  std::string text, model = "mlp", steps = "300", precision = "fp32", optimizer = "adamw", lr = "0.01", batch = "32",
                    micro_batches = "2", world_size = "1", max_norm = "1", seed = "1", trace;
};

float NotNegative(const std::string& option, const std::string& text) {
  float number = -1.0f;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number < 0) {
    throw UsageError(fmt::format("{}: expected a number of 0 or more, such as 0.01; got '{}'", option, text));
  }
  return number;
}

/// The model, its groups and its schedule: matrices decay, biases do not; the learning rate warms up for a tenth of the
/// steps, then falls.
void ChooseTraining(Experiment& e, const Options& options) {
  if (options.model != "mlp") throw UsageError(fmt::format("--model: expected mlp, got '{}'", options.model));
  e.mlp = MlpSpec{.vocab = 256, .context = 8, .embedding = 16, .hidden = {128}};
  e.parameters = MlpParameters(*e.mlp);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.precision = PrecisionFromString(options.precision);
  e.optimizer = OptimizerKindFromString(options.optimizer);
  e.groups = {{.weight_decay = 0.01f, .momentum = 0.9f}, {.momentum = 0.9f}};
  e.max_norm = NotNegative("--max-norm", options.max_norm);
  e.steps = static_cast<int64_t>(WholeNumber("--steps", options.steps, 1, 100000));
  const float lr = NotNegative("--lr", options.lr);
  SetLearningRates(e, LearningRates(LinearSchedule{.peak = lr, .warmup_steps = e.steps / 10, .final_fraction = 0.1f}, e.steps));
}

void ChooseData(Experiment& e, const Options& options) {
  e.world_size = static_cast<int>(WholeNumber("--world-size", options.world_size, 1, kMostMicroBatches));
  e.micro_batches =
      static_cast<int>(WholeNumber("--micro-batches", options.micro_batches, 1, kMostMicroBatches / e.world_size));
  e.batch = static_cast<int64_t>(WholeNumber("--batch", options.batch, 1, 65536));
  e.seed = WholeNumber("--seed", options.seed, 0, UINT64_MAX);
  e.text = options.text.empty() ? DefaultTextPath() : options.text;
  const TextCorpus text = TextCorpus::Load(e.text);
  e.text_hash = text.hash();
  MakeBatch(e, text, 0, 0);  // throws when the text is too short
}

Experiment ExperimentOf(const Options& options) {
  Experiment e;
  try {
    ChooseTraining(e, options);
    ChooseData(e, options);
  } catch (const std::invalid_argument& wrong_name) {
    throw UsageError(fmt::format("--{}", wrong_name.what()));
  } catch (const std::runtime_error& wrong_text) {
    throw UsageError(wrong_text.what());
  }
  return e;
}

/// NDJSON of the run, or nothing without a path.
class TraceFile {
 public:
  TraceFile(const std::string& path, const Experiment& e, const ReductionOrder& order) : path_(path) {
    if (path.empty()) return;
    out_.open(path, std::ios::trunc);
    writer_ = std::make_unique<TraceWriter>(out_, e, order, ChosenHostKernels());
    CheckWritten();
  }
  void Write(const StepTrace& step) {
    if (!writer_) return;
    writer_->Write(step);
    CheckWritten();
  }

 private:
  void CheckWritten() {
    if (!out_.flush()) {
      throw UsageError(
          fmt::format("--trace: expected a file that can be written, got {}; choose another place", path_));
    }
  }

  std::string path_;
  std::ofstream out_;
  std::unique_ptr<TraceWriter> writer_;
};

void PrintHead(const Experiment& e) {
  fmt::print("{} elements in {} parameters, {}, {}, kernels {}\n", TotalNumel(e), e.parameters.size(),
             ToString(e.precision), ToString(e.optimizer), ChosenHostKernels());
  fmt::print("text {} (XXH3-128 {})\n", e.text, e.text_hash);
  fmt::print("{} steps, world size {}, {} micro-batches of {} sequences per rank\n\n", e.steps, e.world_size,
             e.micro_batches, e.batch);
}

void PrintStep(const Experiment& e, const StepTrace& step) {
  fmt::print("step {:>6} of {}  loss {:.4f}  norm {:.4f}  clip {:.4f}  lr {:.3g}\n", step.step + 1, e.steps,
             step.mean_loss(), step.grad_norm, step.clip_coefficient, GroupsAtStep(e, step.step)[0].lr);
  std::fflush(stdout);
}

void PrintHashes(const Experiment& e, const StepTrace& last) {
  fmt::print("\n{:<32} {}\n", "tensor after the last step", "XXH3-128");
  for (const auto& [tensor, hash] : TensorHashes(e, last)) fmt::print("{:<32} {}\n", tensor, hash);
}

void RunTraining(const Experiment& e, const std::string& trace_path) {
  const ReductionOrder order = UniformOrder(e, TreeFold(e.world_size, e.micro_batches));
  TraceFile trace(trace_path, e, order);
  PrintHead(e);
  Trainer trainer(e, order, HostOps());
  double first_loss = 0.0;
  StepTrace last;
  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < e.steps; ++step) {
    last = trainer.Step();
    trace.Write(last);
    if (step == 0) first_loss = last.mean_loss();
    if (step % kProgressEvery == 0 || step + 1 == e.steps) PrintStep(e, last);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintHashes(e, last);
  const double tokens = static_cast<double>(e.steps) * e.world_size * e.micro_batches * static_cast<double>(e.batch);
  fmt::print("\nloss {:.5f} -> {:.5f} nats per token in {:.1f} s, {:.0f} predicted tokens/s\n", first_loss,
             last.mean_loss(), seconds, tokens / seconds);
}

}  // namespace

void AddTrainCommand(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("train", "Train the reference model on a text; prints losses and a hash of every tensor");
  command->add_option("--text", options->text, "Any text file; default: a licence that every Debian machine has");
  const auto add = [&](const char* name, std::string& value, const char* help) {
    command->add_option(name, value, help)->capture_default_str();
  };
  add("--model", options->model, "mlp");
  add("--steps", options->steps, "Optimizer steps");
  add("--precision", options->precision, "fp32, or bf16 (parameters and gradients; masters and moments stay fp32)");
  add("--optimizer", options->optimizer, "adamw or sgd");
  add("--lr", options->lr, "Peak learning rate: warm-up over a tenth of the steps, then linear decay to a tenth of it");
  add("--batch", options->batch, "Sequences per micro-batch");
  add("--micro-batches", options->micro_batches, "Micro-batches per rank and step (K)");
  add("--world-size", options->world_size, "Ranks (W) of the data-parallel run; the same W * K gives the same bits");
  add("--max-norm", options->max_norm, "Gradients are clipped to this norm; 0: not at all");
  add("--seed", options->seed, "Initial values and batches");
  command->add_option("--trace", options->trace, "Write what every step made to this file (NDJSON, see zerocts diff)");
  command->callback([options, &exit_code] {
    RunTraining(ExperimentOf(*options), options->trace);
    exit_code = 0;
  });
}

}  // namespace zerocts
