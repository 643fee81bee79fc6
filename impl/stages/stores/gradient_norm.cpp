#include "impl/stages/stores/gradient_norm.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace zerocts::engine {
namespace {

int64_t AccumulatorBytes(NormKind kind) {
  return kind == NormKind::kTwo ? sizeof(SumOfSquares) : sizeof(SumOfMagnitudes);
}

/// Words that the ranks can add: plain integers, made for that.
template <class Bins>
void AddOverRanks(Bins& bins, Communicator& comm, DeviceStream& communication) {
  comm.AllReduceSum(reinterpret_cast<uint64_t*>(bins.data()), sizeof bins / sizeof(uint64_t), communication,
                    "gradient norm");
  communication.Synchronize();
}

/// The largest by sums alone: each rank puts its own into a word of its own.
void MergeOverRanks(SumOfMagnitudes& magnitudes, Communicator& comm, DeviceStream& communication) {
  std::vector<uint64_t> largest(comm.world_size());
  largest[comm.rank()] = magnitudes.largest_bits;
  comm.AllReduceSum(largest.data(), std::ssize(largest), communication, "largest gradient");
  AddOverRanks(magnitudes.bins, comm, communication);
  magnitudes.largest_bits = static_cast<uint32_t>(*std::max_element(largest.begin(), largest.end()));
}

}  // namespace

float NormOf(NormKind kind, const GradientSums& sums) {
  if (kind == NormKind::kTwo) return sums.squares.Norm();
  return kind == NormKind::kOne ? sums.magnitudes.Value() : sums.magnitudes.Largest();
}

NormOverShards::NormOverShards(const RankContext& context)
    : kind_(context.settings.clip_norm),
      arrangement_(context.arrangement),
      comm_(context.groups.shard),
      tensor_ranks_(context.groups.tensor),
      compute_(*context.streams.compute),
      copies_(context),
      accumulator_(context.Allocate(context.home(), AccumulatorBytes(kind_), MemoryKind::kBuffer)) {}

void NormOverShards::AddTo(GradientSums& sums, const std::function<const float*(const OwnedPiece&)>& mean,
                           DeviceStream& stream, DeviceStream& communication) const {
  const int64_t bytes = AccumulatorBytes(kind_);
  const bool split = tensor_ranks_.world_size() > 1;  // else this rank has the layers whole
  const auto sum = [&](auto& on_this_rank, auto&& add) {
    auto* accumulator = accumulator_.as<std::remove_reference_t<decltype(on_this_rank)>>();
    copies_.ToHome(accumulator, &on_this_rank, bytes, stream);
    for (const OwnedPiece& piece : arrangement_.counted) add(accumulator, mean(piece), piece.numel());
    copies_.FromHome(&on_this_rank, accumulator, bytes, stream);
    stream.Synchronize();
  };
  const bool merge = arrangement_.sharding.optimizer;  // else this rank has seen every shard

  if (kind_ == NormKind::kTwo) {
    SumOfSquares squares;
    sum(squares, [&](auto... arguments) { stream.ops().AddSquares(arguments...); });
    if (merge) AddOverRanks(squares.bins, comm_, communication);
    if (split) AddOverRanks(squares.bins, tensor_ranks_, compute_);
    sums.squares.Merge(squares);
    return;
  }
  SumOfMagnitudes magnitudes;
  sum(magnitudes, [&](auto... arguments) { stream.ops().AddMagnitudes(arguments...); });
  if (merge) MergeOverRanks(magnitudes, comm_, communication);
  if (split) MergeOverRanks(magnitudes, tensor_ranks_, compute_);
  sums.magnitudes.Merge(magnitudes);
}

}  // namespace zerocts::engine
