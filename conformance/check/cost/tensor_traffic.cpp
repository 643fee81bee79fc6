#include "conformance/check/cost/tensor_traffic.hpp"

#include <algorithm>

namespace zerocts {
namespace {

int64_t SmallestSplit(const MlpSpec& mlp) {
  int64_t smallest = mlp.vocab;
  for (const int64_t width : mlp.hidden) smallest = std::min(smallest, width);
  return smallest;
}
int64_t SmallestSplit(const GptSpec& gpt) { return std::min({gpt.vocab, gpt.kv_heads, gpt.context}); }

/// Counts values.
class TensorVolume {
 public:
  TensorVolume(int64_t tensor, int64_t slices, int64_t smallest_split)
      : T_(tensor), n_(slices), k_(std::min(tensor, std::max<int64_t>(smallest_split, 1))) {}

  /// Over m elements that are split, of `numel` values; is there no other way for what travels?
  void Sum(int64_t m, int64_t numel, bool needed = true) {
    most_ += (T_ - 1) * std::max<int64_t>(std::min(n_, m), 2) * numel;
    if (needed) least_ += 2 * (k_ - 1) * numel;
  }
  /// The same, each value on one rank.
  void ScatteredSum(int64_t m, int64_t numel, bool needed = true) {
    const int64_t of_rank = std::min(n_ / T_, (m + T_ - 1) / T_);
    most_ += (T_ - 1) * std::max<int64_t>(of_rank, 1) * numel;
    if (needed) least_ += (k_ - 1) * numel;
  }
  void Gather(int64_t numel, bool needed = true) {
    most_ += (T_ - 1) * numel;
    if (needed) least_ += (k_ - 1) * numel;
  }
  void Embed(int64_t numel) {
    most_ += 2 * (T_ - 1) * numel;
    least_ += (k_ - 1) * numel;
  }
  /// Counts so many rows of V logits that are split.
  void Logits(int64_t V, int64_t rows, bool split_loss) {
    if (split_loss) {
      most_ += T_ * (T_ - 1) * 2 * rows;
      Sum(V, rows);
    } else {
      most_ += (T_ - 1) * rows * V;
      least_ += 2 * (k_ - 1) * rows;
    }
  }

  uint64_t most() const { return static_cast<uint64_t>(most_); }
  uint64_t least() const { return static_cast<uint64_t>(least_); }

 private:
  const int64_t T_, n_, k_;
  int64_t most_ = 0, least_ = 0;
};

/// Layers are column-parallel and row-parallel in turn.
void Count(const MlpSpec& mlp, int64_t B, TensorVolume& volume) {
  int64_t width = mlp.context * mlp.embedding;
  if (mlp.vocab_parallel) volume.Embed(B * width);
  std::vector<int64_t> outputs = mlp.hidden;
  outputs.push_back(mlp.vocab);
  for (size_t layer = 0; layer < outputs.size(); ++layer) {
    const bool column_parallel = layer % 2 == 0;
    if (column_parallel) {
      volume.Sum(outputs[layer], B * width, layer > 0);
    } else {
      volume.Sum(width, B * outputs[layer]);
    }
    width = outputs[layer];
  }
  const bool splits_logits = outputs.size() % 2 == 1;
  if (splits_logits) volume.Logits(mlp.vocab, B, mlp.vocab_parallel);
}

/// A column-parallel layer of `outputs` outputs; `needed`: what Backward gives the layer before it.
void CountColumnParallel(const GptSpec& gpt, int64_t outputs, int64_t stream, bool needed, TensorVolume& volume) {
  if (!gpt.sequence_parallel) return volume.Sum(outputs, stream, needed);
  volume.Gather(stream);
  volume.Gather(stream, false);
  volume.ScatteredSum(outputs, stream, needed);
}

void CountRowParallel(const GptSpec& gpt, int64_t inputs, int64_t stream, TensorVolume& volume) {
  if (!gpt.sequence_parallel) return volume.Sum(inputs, stream);
  volume.ScatteredSum(inputs, stream);
  volume.Gather(stream);
}

void CountHead(const GptSpec& gpt, int64_t rows, TensorVolume& volume) {
  const int64_t stream = rows * gpt.width;
  if (gpt.tied && !gpt.vocab_parallel) {  // every rank computes all of it
    if (gpt.sequence_parallel) volume.Gather(2 * stream, false);
    return;
  }
  CountColumnParallel(gpt, gpt.vocab, stream, true, volume);
  volume.Logits(gpt.vocab, rows, gpt.vocab_parallel);
}

void Count(const GptSpec& gpt, int64_t B, TensorVolume& volume) {
  const int64_t C = gpt.width, rows = B * gpt.context, stream = rows * C;
  if (gpt.vocab_parallel) volume.Embed(stream);
  if (gpt.sequence_parallel) {
    volume.Gather(stream, false);
    for (int64_t norm = 0; norm < 2 * gpt.layers + 1; ++norm) volume.Sum(gpt.context, 2 * C, false);
  }
  for (int64_t layer = 0; layer < gpt.layers; ++layer) {
    CountColumnParallel(gpt, C, stream, layer > 0, volume);  // qkv: C of q, the widest
    CountRowParallel(gpt, C, stream, volume);
    CountColumnParallel(gpt, 4 * C, stream, true, volume);
    CountRowParallel(gpt, 4 * C, stream, volume);
  }
  CountHead(gpt, rows, volume);
}

bool MayTravelAsBf16(const Experiment& e) {
  return e.precision == Precision::kBf16 || SliceOrderOf(*e.model).rounding == Rounding::kBf16;
}

}  // namespace

TensorTraffic TensorTrafficOf(const Case& c) {
  const Experiment& e = c.experiment;
  if (c.tensor == 1 || !e.model) return {};
  // Parts that are not even have no slices: one sum per rank, added in any order on the way.
  const int64_t slices = c.tensor_parts == PartSizes::kEven ? SliceOrderOf(*e.model).slices : 0;
  const int64_t smallest = std::visit([](const auto& spec) { return SmallestSplit(spec); }, *e.model);
  TensorVolume volume(c.tensor, slices, smallest);
  std::visit([&](const auto& spec) { Count(spec, e.batch, volume); }, *e.model);
  return {volume.most() * 4, volume.least() * (MayTravelAsBf16(e) ? 2 : 4)};
}

}  // namespace zerocts
