// What a benchmark of the engine trains: a size of GPT under AdamW, one micro-batch per rank and step.
#pragma once
#include <string>
#include <vector>

#include "impl/device/device.hpp"
#include "impl/stages/arrangement/engine_settings.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts {

struct Workload {
  std::string model = "gpt2-124m";  // a size of GptSize
  Precision precision = Precision::kFp32;
  int stage = 1;
  std::string plan = "padded";
  bool computes = false;  // the engine runs the model; else it is given gradients
  bool overlap = false;
  int64_t batch = 1;  // sequences per micro-batch, when it computes
  std::string device = "host";
  engine::Math math = engine::Math::kExact;  // on a GPU
  int tensor = 1;                            // ranks that split layers, when it computes
  int64_t slices = 1;                        // that they divide
  bool vocab_parallel = false, sequence_parallel = false;

  GptSpec spec() const;
};

/// Sequences per micro-batch that make a step worth measuring and keep it short.
int64_t UsualBatch(const std::string& model);

engine::EngineSettings SettingsOf(const Workload& workload);
int64_t NumelOf(const engine::EngineSettings& settings);

/// Values that have the right size and are spread like weights or gradients; all tensors look at the same ones.
class TensorValues {
 public:
  TensorValues(const engine::EngineSettings& settings, uint64_t seed);
  std::vector<const float*> initial() const;
  /// In the parameters' precision.
  std::vector<const void*> gradients() const;

 private:
  const std::vector<engine::EngineParameter>& parameters_;  // the settings'
  std::vector<float> wide_;
  std::vector<Bf16> narrow_;
};

/// The tokens of one micro-batch, drawn evenly from the model's vocabulary.
struct TokenBatch {
  std::vector<int32_t> inputs, targets;
};
TokenBatch TokensOf(const Workload& workload, uint64_t seed);

}  // namespace zerocts
