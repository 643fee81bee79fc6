// What a model is, as a value: its kind and sizes, and the parameters that follow from them.
// Legend: V = vocab, T = context, C = channels per token, L = layers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reference/model/slice_order.hpp"

namespace zerocts {

/// What one tensor, and all parameters of an experiment together, hold at most.
inline constexpr int64_t kLargestNumel = int64_t{1} << 40;

/// The product of the dimensions. Nothing where one is negative or a product of the first ones is above kLargestNumel,
/// so that no shape from outside overflows.
inline std::optional<int64_t> CheckedNumel(std::span<const int64_t> shape) {
  int64_t numel = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0 || (dimension > 0 && numel > kLargestNumel / dimension)) return std::nullopt;
    numel *= dimension;
  }
  return numel;
}

enum class Precision { kFp32, kBf16 };
std::string ToString(Precision precision);  // "fp32", "bf16"
Precision PrecisionFromString(const std::string& name);

struct ParameterSpec {
  std::string name;
  std::vector<int64_t> shape;  // [] is a scalar, a dimension may be 0
  int group = 0;
  int64_t numel() const;
  friend bool operator==(const ParameterSpec&, const ParameterSpec&) = default;
};

/// Character-level language model: embedding, hidden layers with GELU, logits of the token after the context. Under
/// tensor parallelism the layers are column- and row-parallel in turn; the embedding is replicated unless it is
/// vocabulary-parallel.
///
/// With E experts the last hidden layer has E copies of its weight and bias. A micro-batch goes through one of them,
/// and the others have no gradient from it. Which one is said from outside, by the rank whose data it is (Experts):
/// there is no gate, and no token goes to another rank.
struct MlpSpec {
  int64_t vocab = 128;     // V
  int64_t context = 8;     // T tokens seen
  int64_t embedding = 16;  // C per token
  std::vector<int64_t> hidden = {64};
  SliceOrder slice_order = {};
  bool vocab_parallel = false;  // as in GptSpec; logits and losses where the last layer is column-parallel
  int experts = 1;              // E; more than 1 need a hidden layer, and one slice
  friend bool operator==(const MlpSpec&, const MlpSpec&) = default;
};

/// GPT-2's architecture: token and position embedding, L pre-LayerNorm blocks (causal attention, GELU MLP of 4 C),
/// final LayerNorm, head without bias; logits of the token after each position. Under tensor parallelism qkv, mlp_in
/// and the head are column-parallel, attention_out and mlp_out row-parallel; all else is replicated, the head too where
/// it is tied and not vocabulary-parallel.
struct GptSpec {
  int64_t vocab = 256;          // V
  int64_t context = 32;         // T
  int64_t layers = 2;           // L
  int64_t heads = 2;            // of queries; divide C
  int64_t kv_heads = heads;     // of keys and values; divide the heads, so many of which share one of these
  int64_t width = 64;           // C
  bool tied = true;             // the head's weight is the token embedding
  SliceOrder slice_order = {};  // its slices divide kv_heads
  bool vocab_parallel = false;  // rows of embedding and head are split; a loss adds its V logits in slices
  /// Positions between the split layers are split; gradients of what every position uses add over slices of the T
  /// positions.
  bool sequence_parallel = false;
  friend bool operator==(const GptSpec&, const GptSpec&) = default;
};

/// "tiny", "small" or "gpt2-124m". Throws std::invalid_argument naming the choices.
GptSpec GptSize(const std::string& name);

using ModelSpec = std::variant<MlpSpec, GptSpec>;

std::string KindOf(const ModelSpec& model);  // "mlp", "gpt"
int64_t VocabOf(const ModelSpec& model);
int64_t ContextOf(const ModelSpec& model);
/// A sequence of T tokens predicts its last 1 (MLP) or T (GPT) successors.
int64_t TargetsPerSequence(const ModelSpec& model);

/// Parameters in registration order; matrices and embeddings in group 0, biases and norms in group 1 (no weight decay
/// by custom).
std::vector<ParameterSpec> ModelParameters(const ModelSpec& model);

/// What tensor ranks have of a parameter: all of it, each of them, or parts of one dimension, in which there are
/// `parts` side by side (the rows of q, k and v), each of them cut by PartOfElements in the sizes of the run. All else
/// follows: who counts an element in a norm, what a rank stores, where its elements stand in a checkpoint. The gradient
/// of a replicated parameter is the same on all tensor ranks.
struct TensorCut {
  static constexpr int kReplicated = -1;
  int dimension = kReplicated;
  CutParts parts = 1;
  bool replicated() const { return dimension == kReplicated; }
  friend bool operator==(const TensorCut&, const TensorCut&) = default;
};
/// The cut of each parameter, [parameters].
std::vector<TensorCut> ModelTensorCuts(const ModelSpec& model);
const SliceOrder& SliceOrderOf(const ModelSpec& model);

/// How many experts the model has: 1 where every micro-batch goes through all parameters.
int ExpertCountOf(const ModelSpec& model);
inline constexpr int kOfNoExpert = -1;
/// The expert whose copy each parameter is, [parameters].
std::vector<int> ModelExperts(const ModelSpec& model);

/// Before training a parameter is uniform in [centre - bound, centre + bound).
struct InitialRange {
  float centre = 0.0f, bound = 0.0f;
};
InitialRange ModelInitialRange(const ModelSpec& model, int parameter);

}  // namespace zerocts
