// The options that describe a training; train and run share them, and what they print of it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cli/train/train_experiment.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace zerocts {

/// All but --world-size; what stands in `options` are the defaults.
std::vector<CLI::Option*> AddTrainOptions(CLI::App& command, TrainOptions& options);

/// Adds --threads, of the reference.
void AddThreadsOption(CLI::App& command, std::string& threads);
/// Any number gives the same bits, so all cores help unless somebody says otherwise. Throws UsageError.
int ThreadsOf(const std::string& option);

/// What is trained, in lines of their own.
void PrintTraining(const Experiment& e);
/// "step      1 of 300  loss 5.5430  norm 1.2000  clip 0.8333  lr 0.001"; a norm that nobody needed may be NaN.
std::string StepText(const Experiment& e, int64_t step, double mean_loss, float grad_norm, float clip_coefficient);
/// A table of names and hashes; `what`: "tensor".
void PrintHashes(const std::string& what, const std::vector<std::pair<std::string, std::string>>& hashes);
/// Tokens that all ranks predict in one step; 0 where gradients are given.
double TokensPerStep(const Experiment& e);

}  // namespace zerocts
