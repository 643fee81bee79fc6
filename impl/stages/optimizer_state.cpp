#include "impl/stages/optimizer_state.hpp"

namespace zerocts {

OptimizerState::OptimizerState(Device& device, DeviceStream& stream, OptimizerKind kind, const Shard& shard,
                               float* masters, std::vector<int> group_of, MemoryLedger& ledger)
    : device_(device), stream_(stream), kind_(kind), shard_(shard), group_of_(std::move(group_of)), masters_(masters) {
  const auto fp32_shard = [&] {
    return Buffer::OfDevice(device, shard.numel * static_cast<int64_t>(sizeof(float)), MemoryKind::kOptimizer, ledger);
  };
  if (!masters_) {
    master_buffer_ = fp32_shard();
    masters_ = master_buffer_.as<float>();
  }
  for (size_t i = 0; i < MomentNames(kind).size(); ++i) moments_.push_back(fp32_shard());
}

void OptimizerState::Load(const std::vector<const float*>& initial) {
  for (const Piece& piece : shard_.pieces) {
    const int64_t numel = piece.end - piece.begin;
    device_.CopyFromHost(masters_ + piece.shard_offset, initial[piece.parameter] + piece.begin,
                         numel * static_cast<int64_t>(sizeof(float)), stream_);
    for (const Buffer& moment : moments_) stream_.ops().Fill(moment.as<float>() + piece.shard_offset, 0.0f, numel);
  }
  stream_.Synchronize();
}

void OptimizerState::Apply(const std::vector<HyperParameters>& groups, const std::vector<BetaProducts>& products,
                           float clip, const float* gradient) {
  for (const Piece& piece : shard_.pieces) {
    const int group = group_of_[piece.parameter];
    const auto at_piece = [&](size_t i) {
      return i < moments_.size() ? moments_[i].as<float>() + piece.shard_offset : nullptr;
    };
    ApplyStep(stream_.ops(), kind_, groups[group], products[group], clip,
              {masters_ + piece.shard_offset, at_piece(0), at_piece(1)}, gradient + piece.shard_offset,
              piece.end - piece.begin);
  }
}

const float* OptimizerState::Find(const std::string& state) const {
  if (state == "master") return masters_;
  const std::vector<std::string> names = MomentNames(kind_);
  for (size_t i = 0; i < names.size(); ++i) {
    if (state == names[i]) return moments_[i].as<float>();
  }
  return nullptr;
}

}  // namespace zerocts
