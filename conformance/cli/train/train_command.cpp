// zerocts train: the reference trainer on a text, step by step, with a hash of every tensor at the end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/train/train_experiment.hpp"
#include "conformance/cli/train/train_options.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/report/log/log_lock.hpp"
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
    lock_.emplace(path);
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
  std::optional<LogLock> lock_;
  std::ofstream out_;
  std::unique_ptr<TraceWriter> writer_;
};

void PrintHead(const Experiment& e) {
  PrintTraining(e);
  fmt::print("{} steps, world size {}, {} micro-batches of {} sequences per rank\n\n", e.steps, e.world_size,
             e.micro_batches, e.batch);
}

void PrintStep(const Experiment& e, const StepTrace& step) {
  fmt::print("{}{}\n", StepText(e, step.step, step.mean_loss(), step.grad_norm, step.clip_coefficient),
             step.skipped ? "  skipped: not finite" : "");
  std::fflush(stdout);
}

/// Whole tensors, one file before the first step and one after each; or nothing without a folder.
class TensorFolder {
 public:
  TensorFolder(const std::string& folder, const Experiment& e, const Trainer& trainer)
      : folder_(folder), experiment_(e) {
    if (folder.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    lock_.emplace(folder);
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
  std::optional<LogLock> lock_;
  const Experiment& experiment_;
  std::optional<TextCorpus> text_;  // learned once, not at every step
};

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
  const std::map<std::string, std::string> hashes = TensorHashes(e, last);
  PrintHashes("tensor", {hashes.begin(), hashes.end()});
  if (e.gradients != GradientSource::kModel) return;
  fmt::print("\nloss {:.5f} -> {:.5f} nats per token in {:.1f} s, {:.0f} predicted tokens/s\n", first_loss,
             last.mean_loss(), seconds, static_cast<double>(e.steps) * TokensPerStep(e) / seconds);
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
  for (CLI::Option* option : AddTrainOptions(*command, e)) file->excludes(option);
  file->excludes(command
                     ->add_option("--world-size", e.world_size,
                                  "Ranks (W) of the data-parallel run; the same W * K gives the same bits")
                     ->capture_default_str());
  AddThreadsOption(*command, options->threads);
  command->add_option("--trace", options->trace, "Write what every step made to this file (NDJSON, see zerocts diff)");
  command->add_option("--tensors", options->tensors,
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
