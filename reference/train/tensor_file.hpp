// Whole tensors of a training run as files in the safetensors format, so that others can compute them again.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/experiment/experiment.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {

/// Collects tensors, then writes them at once: a JSON header (name, dtype, shape, offset) and little-endian values.
class TensorFile {
 public:
  /// Copies the values, whose count is the product of `shape`.
  void Add(const std::string& name, std::span<const float> values, std::vector<int64_t> shape);
  void Add(const std::string& name, std::span<const int32_t> values, std::vector<int64_t> shape);
  /// Throws std::runtime_error with a sentence when the file cannot be written.
  void Write(const std::string& path) const;

 private:
  struct Entry {
    std::string name;
    const char* dtype;  // "F32", "I32"
    std::vector<int64_t> shape;
    uint64_t begin, end;  // bytes
  };
  void AddBytes(const std::string& name, const char* dtype, const void* data, uint64_t bytes,
                std::vector<int64_t> shape);

  std::vector<Entry> entries_;
  std::vector<char> bytes_;
};

/// "parameter/NAME" before the first step.
void WriteInitialTensors(const std::string& path, const Experiment& experiment, const Trainer& trainer);

/// What a step made: "gradient/NAME" (the mean, before clipping), "master/NAME", the optimizer's moments,
/// "parameter/NAME"; and what it was made of: "inputs" [W * K, B, T], "targets" [W * K, B, targets per sequence].
/// `text`: the experiment's (TextCorpus::LoadFor), or nullptr where gradients are given.
void WriteStepTensors(const std::string& path, const Experiment& experiment, const TextCorpus* text,
                      const StepTrace& step);

}  // namespace zerocts
