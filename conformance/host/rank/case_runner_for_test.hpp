// One rank on the plugin told.c, which records every call.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "conformance/host/rank/case_runner.hpp"
#include "conformance/host/rank/thread_store.hpp"

namespace zerocts {

/// Something of everything: a is tied to by a2, frozen in step 1 and missed by one of two micro-batches of step 2; mask
/// is a buffer; d is bf16.
inline Case CaseOfEverything() {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {2, 2}, 0}, {"mask", {3}, 0}, {"a2", {2, 2}, 0}, {"d", {}, 1}};
  e.groups = {{.lr = 0.5f, .momentum = 0.5f, .nesterov = true}, {.lr = 0.25f, .momentum = 0.5f, .dampening = 0.25f}};
  e.changes = {{1, 1, {.lr = 0.125f}}};
  e.micro_batches = 2;
  e.steps = 3;
  e.max_norm = 2.0f;
  e.clip_norm = NormKind::kInfinity;
  e.clip_formula = ClipFormula::kAbove;
  e.accumulation = e.reduction = Precision::kBf16;
  e.loss_scaling = {LossScaleKind::kDynamic, 8.0f, 4.0f, 0.25f, 3, 2, true, 0.5f};
  e.roles = {.frozen = {{0, 1, 2}},
             .without_gradient = {{3, 2, 3}},
             .missing = {{0, 2, 1}},
             .tied = {{2, 0}},
             .buffers = {1},
             .precisions = {{3, Precision::kBf16}}};
  c.reduction_order = "tree";
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  c.offload = Offload::kFull;
  c.overlap = Overlap::kOn;
  c.observe_parameters = c.observe_states = false;
  return c;
}

/// Counts how often a rank meets the others.
class CountingClient : public StoreClient {
 public:
  explicit CountingClient(std::unique_ptr<StoreClient> client) : client_(std::move(client)) {}
  StoreOutcome Set(std::string key, std::string value) override {
    return client_->Set(std::move(key), std::move(value));
  }
  StoreOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) override {
    return client_->Get(key, bytes, deadline_ms);
  }
  StoreOutcome Barrier(uint32_t deadline_ms) override {
    ++barriers;
    return client_->Barrier(deadline_ms);
  }
  uint64_t KeptBytes() const override { return client_->KeptBytes(); }

  int barriers = 0;

 private:
  std::unique_ptr<StoreClient> client_;
};

class CaseRunnerTest : public testing::Test {
 protected:
  CaseAnswer Run(const Case& c, const SubjectOptionValues& options = {}) {
    store_.BeginCase(++run_);
    const Capabilities can = CapabilitiesFromJson(plugin_->table().capabilities, options);
    const RankSetting setting{*plugin_, can, 0, 1, 1, options, client_, page_, memory_, nullptr, abi_minor_};
    return RunCase(setting, c, run_, 4000, checkpoint_folder_);
  }
  RankObservation Observed(const Case& c) {
    CaseAnswer answer = Run(c);
    if (const auto* refused = std::get_if<RefusedMessage>(&answer))
      ADD_FAILURE() << refused->call << ": " << refused->text;
    if (const auto* unsupported = std::get_if<UnsupportedMessage>(&answer)) ADD_FAILURE() << unsupported->reason;
    return std::get<ObservedMessage>(answer).observation;
  }
  std::string Told() const { return static_cast<const char*>(plugin_->Extension("told")); }
  /// The lines that begin so.
  std::string Told(const std::string& beginning) const {
    std::istringstream all(Told());
    std::string lines;
    for (std::string line; std::getline(all, line);) {
      if (line.starts_with(beginning)) lines += line + "\n";
    }
    return lines;
  }

  std::unique_ptr<Plugin> plugin_ = Plugin::Load(ZEROCTS_TESTDATA_PLUGINS "/told.so");
  ThreadStore store_{1};
  CountingClient client_{store_.RankEnd(0)};
  RankPage page_{""};
  MemoryMeter memory_{1};
  uint64_t run_ = 0;
  uint32_t abi_minor_ = ZEROCTS_ABI_MINOR;
  std::string checkpoint_folder_ = "folder";
};

}  // namespace zerocts
