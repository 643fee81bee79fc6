// The data of an experiment: functions of (seed, step, g), g = rank * micro_batches + k.
// Any process makes any rank's data.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

/// fp32 initial values of one parameter, [numel]: the master weights before the first step.
std::vector<float> InitialValuesOf(const Experiment& experiment, int parameter);
void FillInitialValues(const Experiment& experiment, int parameter, std::span<float> out);

/// The given gradient of one micro-batch for one parameter, [numel], representable in the parameter's precision, with
/// the experiment's planted values; zero when it is one of the experiment's missing ones, or of a rank without the
/// parameter. For every source but kModel. Exact sources: the sum over all g in any order and grouping, and its
/// division by W * K (at once or first by W, then by K, before or after the sum), are exact in fp32.
void FillGradient(const Experiment& experiment, int64_t step, int64_t g, int parameter, float* out);

/// What FillGradient gives with kOrderProbe, to every element in every step: one number over some exponents, of few
/// digits over many.
float OrderProbeValue(uint64_t seed, int64_t g, Precision precision);

/// The text that a model is trained on, and its tokens: bytes (those >= vocab become vocab - 1), or with a vocabulary
/// above 256 byte pairs learned from the text itself (byte_pairs.hpp).
class TextCorpus {
 public:
  /// Throws std::runtime_error with a sentence when the file cannot be read, is empty, or binary (holds NUL bytes).
  static TextCorpus Load(const std::string& path);
  /// With the tokens of the experiment's model. Also throws when the text's hash is not the experiment's.
  static TextCorpus LoadFor(const Experiment& experiment);
  /// As above, but read once per process, path, hash and vocabulary: a file that changed under its path is taken for
  /// what it was when it had that hash. Any thread may call.
  static std::shared_ptr<const TextCorpus> SharedFor(const Experiment& experiment);

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::vector<int32_t>& tokens() const { return tokens_; }  // none after Load
  const std::string& hash() const { return hash_; }               // XXH3-128, 32 hex digits
 private:
  std::vector<uint8_t> bytes_;
  std::vector<int32_t> tokens_;
  std::string hash_;
};

struct Batch {
  std::vector<int32_t> inputs;   // [B, T]
  std::vector<int32_t> targets;  // [B, targets per sequence]: the last successors of the T tokens
};
/// Throws std::runtime_error with a sentence when the text has no more tokens than the context.
Batch MakeBatch(const Experiment& experiment, const TextCorpus& text, int64_t step, int64_t g);

/// A licence: one that every Debian machine has, else the one that stands beside an installed or packed program. Throws
/// std::runtime_error naming the paths when none is there.
std::string DefaultTextPath();

}  // namespace zerocts
