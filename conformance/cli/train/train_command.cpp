// zerocts train: the reference trainer on a text, step by step, with a hash of every tensor at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/train/train_experiment.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/train/tensor_file.hpp"
#include "reference/train/trace.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

constexpr int64_t kProgressEvery = 10;

/// Throws HarnessError where the write that failed left such a reason in errno.
void RefuseShortage(const char* option, const std::string& path) {
  const int error = errno;
  if (IsShortage(error))
    throw HarnessError(fmt::format("{}: cannot write {}: {}", option, path, ReasonAndRemedy(error)));
}

/// NDJSON of the run, or nothing without a path.
class TraceFile {
 public:
  TraceFile(const std::string& path, const Experiment& e, const ReductionOrder& order) : path_(path) {
    if (path.empty()) return;
    errno = 0;
    out_.open(path, std::ios::trunc);
    writer_ = std::make_unique<TraceWriter>(out_, e, order, ChosenHostKernels());
    CheckWritten();
  }
  void Write(const StepTrace& step) {
    if (!writer_) return;
    errno = 0;
    writer_->Write(step);
    CheckWritten();
  }

 private:
  void CheckWritten() {
    if (out_.flush()) return;
    RefuseShortage("--trace", path_);
    throw UsageError(fmt::format("--trace: expected a file that can be written, got {}; choose another place", path_));
  }

  std::string path_;
  std::ofstream out_;
  std::unique_ptr<TraceWriter> writer_;
};

void PrintHead(const Experiment& e) {
  const bool trains_model = e.gradients == GradientSource::kModel;
  fmt::print("{} of {} elements in {} parameters, {}, {}, kernels {}\n",
             trains_model ? KindOf(*e.model) : ToString(e.gradients) + " gradients", TotalNumel(e), e.parameters.size(),
             ToString(e.precision), ToString(e.optimizer), ChosenHostKernels());
  if (trains_model) fmt::print("text {} (XXH3-128 {})\n", e.text, e.text_hash);
  fmt::print("{} steps, world size {}, {} micro-batches of {} sequences per rank\n\n", e.steps, e.world_size,
             e.micro_batches, e.batch);
}

void PrintStep(const Experiment& e, const StepTrace& step) {
  const std::string loss = step.losses.empty() ? "" : fmt::format("loss {:.4f}  ", step.mean_loss());
  fmt::print("step {:>6} of {}  {}norm {:.4f}  clip {:.4f}  lr {:.3g}{}\n", step.step + 1, e.steps, loss,
             step.grad_norm, step.clip_coefficient, GroupsAtStep(e, step.step)[0].lr,
             step.skipped ? "  skipped: not finite" : "");
  std::fflush(stdout);
}

void PrintHashes(const Experiment& e, const StepTrace& last) {
  fmt::print("\n{:<32} {}\n", "tensor after the last step", "XXH3-128");
  for (const auto& [tensor, hash] : TensorHashes(e, last)) fmt::print("{:<32} {}\n", tensor, hash);
}

/// Whole tensors, one file before the first step and one after each; or nothing without a folder.
class TensorFolder {
 public:
  TensorFolder(const std::string& folder, const Experiment& e, const Trainer& trainer)
      : folder_(folder), experiment_(e) {
    if (folder.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (e.gradients == GradientSource::kModel) text_ = TextCorpus::LoadFor(e);
    Save("initial", [&](const std::string& path) { WriteInitialTensors(path, e, trainer); });
  }
  void Write(const StepTrace& step) {
    if (folder_.empty()) return;
    Save(fmt::format("step{:06}", step.step),
         [&](const std::string& path) { WriteStepTensors(path, experiment_, text_ ? &*text_ : nullptr, step); });
  }

 private:
  template <typename Write>
  void Save(const std::string& name, Write write) {
    errno = 0;
    try {
      write((std::filesystem::path(folder_) / (name + ".safetensors")).string());
    } catch (const std::runtime_error& not_written) {
      RefuseShortage("--tensors", folder_);
      throw UsageError(fmt::format("--tensors: {}", not_written.what()));
    }
  }

  std::string folder_;
  const Experiment& experiment_;
  std::optional<TextCorpus> text_;  // learned once, not at every step
};

/// Any number gives the same bits, so all cores help unless somebody says otherwise.
int ThreadsOf(const std::string& option) {
  if (!option.empty()) return static_cast<int>(WholeNumber("--threads", option, 1, kMostHostThreads));
  return std::clamp<int>(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostHostThreads);
}

void RunTraining(const Experiment& e, Ops& ops, const std::string& trace_path, const std::string& tensor_folder) {
  const ReductionOrder order = UniformOrder(e, TreeFold(e.world_size, e.micro_batches));
  TraceFile trace(trace_path, e, order);
  PrintHead(e);
  Trainer trainer(e, order, ops);
  TensorFolder tensors(tensor_folder, e, trainer);
  double first_loss = 0.0;
  StepTrace last;
  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = 0; step < e.steps; ++step) {
    const bool is_seen = step + 1 == e.steps || !trace_path.empty() || !tensor_folder.empty();
    last = trainer.Step(is_seen ? Keep::kTensors : Keep::kScalars);
    trace.Write(last);
    tensors.Write(last);
    if (step == 0) first_loss = last.mean_loss();
    if (step % kProgressEvery == 0 || step + 1 == e.steps) PrintStep(e, last);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintHashes(e, last);
  if (e.gradients != GradientSource::kModel) return;
  const double sequences = static_cast<double>(e.steps) * e.world_size * e.micro_batches * static_cast<double>(e.batch);
  const double tokens = sequences * static_cast<double>(TargetsPerSequence(*e.model));
  fmt::print("\nloss {:.5f} -> {:.5f} nats per token in {:.1f} s, {:.0f} predicted tokens/s\n", first_loss,
             last.mean_loss(), seconds, tokens / seconds);
}

}  // namespace

void AddTrainCommand(CLI::App& program, int& exit_code) {
  struct Options {
    TrainOptions experiment;
    std::string file, threads, trace, tensors;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("train", "Train the reference model on a text; prints losses and a hash of every tensor");
  TrainOptions& e = options->experiment;
  CLI::Option* file =
      command->add_option("--experiment", options->file,
                          "A file with the whole experiment (JSON, or a trace's header) instead of the options below");
  const auto add = [&](const char* name, std::string& value, const char* help) {
    CLI::Option* option = command->add_option(name, value, help);
    if (!value.empty()) option->capture_default_str();
    return option;
  };
  const auto describe = [&](const char* name, std::string& value, const char* help) {
    file->excludes(add(name, value, help));
  };
  describe("--text", e.text, "Any text file; default: a licence that every Debian machine has");
  describe("--model", e.model, "mlp, or a GPT: tiny, small, gpt2-124m");
  describe("--vocab", e.vocab, "Tokens; up to 256 bytes, above that byte pairs learned from the text");
  describe("--context", e.context, "Tokens that the model sees (T)");
  describe("--layers", e.layers, "GPT: blocks");
  describe("--heads", e.heads, "GPT: attention heads, a divisor of the width");
  describe("--width", e.width, "GPT: channels (C)");
  describe("--slices", e.slices,
           "Sums that tensor ranks would split are added in so many slices, the same bits for any number of ranks that "
           "divides it; GPT: a divisor of the heads");
  file->excludes(
      command->add_flag("--untied", e.untied, "GPT: the head has a weight of its own, not the token embedding"));
  describe("--steps", e.steps, "Optimizer steps");
  describe("--precision", e.precision, "fp32, or bf16 (parameters and gradients; masters and moments stay fp32)");
  describe("--optimizer", e.optimizer, "adamw, adam, lamb or sgd");
  describe("--lr", e.lr, "Peak learning rate: warm-up over a tenth of the steps, then linear decay to a tenth of it");
  describe("--batch", e.batch, "Sequences per micro-batch");
  describe("--micro-batches", e.micro_batches, "Micro-batches per rank and step (K)");
  describe("--world-size", e.world_size, "Ranks (W) of the data-parallel run; the same W * K gives the same bits");
  describe("--max-norm", e.max_norm, "Gradients are clipped to this norm; 0: not at all");
  describe("--seed", e.seed, "Initial values and batches");
  add("--threads", options->threads, "Threads of this process; any number gives the same bits. Default: all cores");
  add("--trace", options->trace, "Write what every step made to this file (NDJSON, see zerocts diff)");
  add("--tensors", options->tensors,
      "Write whole tensors to this folder: initial.safetensors, step000000.safetensors, ..");
  command->callback([options, &exit_code] {
    const Experiment experiment =
        options->file.empty() ? ExperimentOf(options->experiment) : ExperimentFromFile(options->file);
    Ops& ops = HostOpsWith(ChosenHostKernels(), ThreadsOf(options->threads));
    RunTraining(experiment, ops, options->trace, options->tensors);
    exit_code = 0;
  });
}

}  // namespace zerocts
