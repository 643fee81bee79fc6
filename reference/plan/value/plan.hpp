// A shard plan as a value: who owns which elements of which parameters, for each kind of state. It is compact: rules
// instead of lists, so that 10^12 elements of 10^5 tensors on 16,384 ranks fit into some MiB.
//   plan      a model, a mesh, and for each kind of state either "whole" (every rank has everything) or a sharding
//   sharding  axes of the mesh along which a state is divided, and divisions; ranks that differ along other axes only
//             are replicas of one shard
//   division  some tensors and the rule that divides them: each alone, or all end to end as one flat buffer
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reference/plan/value/dtype.hpp"
#include "reference/plan/value/mesh.hpp"

namespace zerocts::plan {

/// The elements of a shape: 1 of none.
int64_t Product(const std::vector<int64_t>& sizes);

/// A model has fewer elements than this, and an element at most 2^4 bytes: bytes are exact in 64 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 56;

struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  Dtype dtype = Dtype::kFp32;
  int group = 0;        // of the optimizer
  bool frozen = false;  // has neither gradient nor optimizer state
  int tied_to = -1;     // the tensor whose elements these are: another name, nothing of its own
  int64_t numel() const;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};
using Model = std::vector<Tensor>;

enum class State { kParameters, kGradients, kOptimizer };
inline constexpr State kStates[] = {State::kParameters, State::kGradients, State::kOptimizer};
const char* NameOf(State state);  // "parameters"

// How a flat range (runs/flat_range.hpp) falls into parts; part s belongs to shard s.

/// Sizes differ by at most one, the first parts are the larger ones (OptimizerShard).
struct Even {
  friend bool operator==(const Even&, const Even&) = default;
};
/// Part s is [s * part, (s + 1) * part); the last ones are padded.
struct Ceil {
  int64_t part = 0;  // 0: ceil(length / parts)
  friend bool operator==(const Ceil&, const Ceil&) = default;
};
/// As Ceil, by whole rows of one dimension; each tensor alone.
struct Rows {
  int dimension = 0;
  int64_t part = 0;  // in rows; 0: ceil(rows / parts)
  friend bool operator==(const Rows&, const Rows&) = default;
};
/// Whole tensors: owners[i] has the division's tensor i.
struct Owners {
  std::vector<int32_t> owners;
  friend bool operator==(const Owners&, const Owners&) = default;
};
/// Block b belongs to part b mod parts.
struct BlockCyclic {
  int64_t block = 1;
  friend bool operator==(const BlockCyclic&, const BlockCyclic&) = default;
};
/// Elements [begin, end) of the flat range are elements [at, at + end - begin) of the shard's memory.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t at = kBehindTheLast;
  int32_t shard = 0;
  static constexpr int64_t kBehindTheLast = -1;
  friend bool operator==(const Interval&, const Interval&) = default;
};
struct Intervals {
  std::vector<Interval> intervals;
  friend bool operator==(const Intervals&, const Intervals&) = default;
};
/// A block of elements as DeepSpeed's affine IR writes it: a view of the tensor, a view of the shard of `shard`, and
/// who has the same elements.
struct AffinePiece {
  int32_t shard = 0;
  std::vector<int64_t> shape;
  int64_t source_offset = 0, dest_offset = 0;
  std::vector<int64_t> source_strides, dest_strides;
  std::vector<int32_t> locations;  // shards, ascending
  double scale = 1;                // the shard holds the tensor's value times this
  int64_t numel() const;
  friend bool operator==(const AffinePiece&, const AffinePiece&) = default;
};
struct Affine {
  std::vector<AffinePiece> pieces;
  std::vector<int64_t> shard_numel;  // per shard: how many elements it holds by its own account; []: not said
  friend bool operator==(const Affine&, const Affine&) = default;
};
using Rule = std::variant<Even, Ceil, Rows, Owners, BlockCyclic, Intervals, Affine>;

/// One rank that divides by another rule than the others.
struct Exception {
  int32_t rank = 0;
  Rule rule;
  friend bool operator==(const Exception&, const Exception&) = default;
};

/// Tensors [first, end) of the model.
struct TensorRange {
  int32_t first = 0, end = 0;
  friend bool operator==(const TensorRange&, const TensorRange&) = default;
};

struct Division {
  std::vector<TensorRange> tensors;
  bool each = true;  // the rule divides each tensor alone; false: all as one flat buffer
  Rule rule;
  int64_t parts = 0;  // 0: as many as the sharding has shards
  // Offsets in a flat buffer.
  int64_t offset_alignment = 1;   // each tensor begins at the next multiple of this
  std::vector<int64_t> offsets;   // where each tensor begins instead
  std::optional<int64_t> length;  // of the buffer; absent: the last tensor ends it
  std::vector<Exception> exceptions;
  friend bool operator==(const Division&, const Division&) = default;
};

struct Sharding {
  std::vector<std::string> axes;
  std::vector<Division> divisions;
  friend bool operator==(const Sharding&, const Sharding&) = default;
};

struct Plan {
  std::string planner;  // who made it, for people
  Model model;
  Mesh mesh;
  std::vector<Sharding> shardings;
  std::array<int, 3> sharding_of = {kWhole, kWhole, kWhole};  // per State: an index of shardings
  // Promises, judged.
  int64_t alignment = 1;           // tensors of flat buffers, and all parts, begin at multiples of this
  std::optional<int64_t> balance;  // of one state two shards differ by at most so many elements
  static constexpr int kWhole = -1;

  /// nullptr: every rank has everything.
  const Sharding* sharding(State state) const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The shards of a sharding among the ranks of the mesh.
class Group {
 public:
  Group(const Mesh& mesh, std::span<const std::string> axes);
  int shards() const { return shards_; }
  int replicas() const { return world_size_ / shards_; }
  int world_size() const { return world_size_; }
  int ShardOf(int rank) const;
  int ReplicaOf(int rank) const;              // 0..replicas(): its position along the other axes
  std::vector<int> RanksOf(int shard) const;  // ascending
  int FirstRankOf(int shard) const;

 private:
  struct Axis {
    int stride, size;
  };
  static int PositionAlong(const std::vector<Axis>& axes, int rank);

  std::vector<Axis> axes_;    // those along which the state is divided, the outermost first
  std::vector<Axis> others_;  // along which replicas stand
  int shards_ = 1, world_size_ = 1;
};

/// Does `state` of `tensor` exist? Another name has nothing of its own, a frozen tensor has parameters only.
bool Needs(const Tensor& tensor, State state);

}  // namespace zerocts::plan
