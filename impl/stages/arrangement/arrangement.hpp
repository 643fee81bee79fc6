// What an engine's flat buffers look like on one rank, before anything is allocated: mesh, layout, what is gathered at
// once, whose optimizer state this rank holds. A function of the settings.
#pragma once
#include <vector>

#include "impl/comm/communicator.hpp"
#include "impl/layout/layout.hpp"
#include "impl/stages/arrangement/engine_settings.hpp"
#include "impl/stages/arrangement/sharding.hpp"
#include "impl/tensor_parallel/parameter_part.hpp"
#include "reference/plan/value/mesh.hpp"

namespace zerocts::engine {

/// What is gathered, computed with and released at once: the buckets of one unit of the model, or one bucket when
/// gradients are given. Where units of the model share parameters, several of them compute with it.
struct ShardingUnit {
  int first_bucket = 0, end_bucket = 0;
  int64_t flat_begin = 0, flat_numel = 0;
  int first_unit = 0, last_unit = 0;  // of the model, of those that compute with it
  bool used_once() const { return first_unit == last_unit; }
};

struct OwnedPiece : Piece {
  int bucket = 0;
};

/// One bucket, and this rank's part of it.
struct BucketOffsets {
  Precision precision = Precision::kFp32;
  int64_t flat_begin = 0, flat_numel = 0;
  int64_t shard_begin = 0, shard_numel = 0;  // in this rank's shard
  Cuts cuts;                                 // relative to flat_begin, as collectives want them
};

struct Arrangement {
  Sharding sharding;
  Mesh mesh;
  int rank = 0;
  int shard = 0, replica = 0, tensor = 0;  // this rank's coordinates in the mesh
  int expert = kOfNoExpert;                // whose parameters these are
  int data_ranks = 1;                      // the mean divides by the micro-batches of so many ranks
  std::vector<ParameterPart> parts;        // of each parameter: what this rank's layers have
  Layout layout;  // of the parts, in one sharding group; tied names and buffers have no elements in it
  std::vector<BucketOffsets> buckets;
  std::vector<ShardingUnit> sharding_units;  // ascending; they tile the buckets
  std::vector<int> sharding_unit_of_bucket;
  std::vector<int> bucket_of_parameter;
  std::vector<OwnedPiece> owned;    // whose optimizer state this rank holds; in stage 0 everything
  std::vector<OwnedPiece> counted;  // those of them that sums over the elements of all tensor ranks count here: what is
                                    // replicated over them is the first one's

  /// Whether sums over the elements of all tensor ranks count those of a parameter here.
  bool counts(int parameter) const { return tensor == 0 || !parts[parameter].replicated; }
  int shards() const { return layout.shards(); }
  int bucket_count() const { return static_cast<int>(buckets.size()); }
  int sharding_unit_of_parameter(int p) const { return sharding_unit_of_bucket[bucket_of_parameter[p]]; }
  /// Elements of an optimizer state of the owned pieces: in stage 0 as in the flat buffer, else this rank's shard.
  int64_t state_numel() const { return sharding.optimizer ? layout.shard_numel(shard) : layout.padded_numel(); }
};

/// The settings with the parameters that this rank's layers have, in place of the whole ones.
EngineSettings OwnSettings(const EngineSettings& settings, const std::vector<ParameterPart>& parts);

/// Arranges the dense parameters: those of no expert. Expects Problem(settings, world_size) == "". Throws Unimplemented
/// for an unknown plan.
Arrangement ArrangementOf(const EngineSettings& settings, int rank, int world_size);
/// Mesh of experts' parameters: R replicas x W / (R * E) shards x E experts. Those stand on the tensor axis, for they
/// too have different elements: sums over all of them go along it. A replica is the same ranks as in the dense mesh.
Mesh ExpertMesh(const EngineSettings& settings, int world_size);
/// Arranges the parameters of this rank's expert, as ArrangementOf the dense ones.
Arrangement ExpertArrangementOf(const EngineSettings& settings, int rank, int world_size);

/// Where buckets begin, in bytes, in memory that holds one after the other, each in its own precision. A sharding unit
/// begins where any of its elements may stand, so it can be moved, as a whole, to other memory.
class BucketBytes {
 public:
  /// The next bucket begins at a multiple of so many bytes.
  void Align(int64_t bytes);
  /// Adds a bucket of so many elements.
  void Append(int64_t numel, Precision precision);
  int64_t begin(int bucket) const { return begin_[bucket]; }
  int64_t total() const { return total_; }

 private:
  std::vector<int64_t> begin_;
  int64_t total_ = 0;
};
BucketBytes BytesOfFullBuckets(const Arrangement& arrangement);
BucketBytes BytesOfShardBuckets(const Arrangement& arrangement);  // of this rank's parts
/// Where an owned piece begins in what `shard_buckets`, of BytesOfShardBuckets, describes.
int64_t ShardByteOf(const Arrangement& arrangement, const BucketBytes& shard_buckets, const OwnedPiece& piece);

}  // namespace zerocts::engine
