#include "impl/stages/stores/optimizer_state.hpp"

#include <stdexcept>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {

OptimizerState::OptimizerState(const RankContext& context, ParameterStore& parameters)
    : arrangement_(context.arrangement),
      optimizer_(context.settings.optimizer),
      copies_(context),
      parameters_(parameters),
      pieces_of_bucket_(arrangement_.bucket_count()) {
  const auto fp32 = [&](int64_t numel) {
    return context.Allocate(context.home(), numel * kFloatBytes, MemoryKind::kOptimizer);
  };
  int64_t masters = 0;
  for (int b = 0; b < arrangement_.bucket_count(); ++b) {
    master_begin_.push_back(masters);
    if (arrangement_.buckets[b].precision == Precision::kFp32) continue;
    masters +=
        arrangement_.sharding.optimizer ? arrangement_.buckets[b].shard_numel : arrangement_.buckets[b].flat_numel;
  }
  if (masters > 0) masters_ = fp32(masters);
  for (size_t i = 0; i < MomentNames(optimizer_.kind).size(); ++i) moments_.push_back(fp32(arrangement_.state_numel()));
  if (optimizer_.kind == OptimizerKind::kMuon) matrices_.emplace(context, parameters);
  if (optimizer_.kind == OptimizerKind::kLamb) {
    const int64_t bytes = std::ssize(arrangement_.layout.numel) * static_cast<int64_t>(sizeof(WholeTensorSums));
    sums_ = context.Allocate(context.home(), bytes, MemoryKind::kBuffer);
  }
  for (const OwnedPiece& piece : arrangement_.owned) pieces_of_bucket_[piece.bucket].push_back(piece);
}

StatePointers OptimizerState::StateOf(const OwnedPiece& piece) const {
  const auto moment = [&](size_t i) {
    return i < moments_.size() ? moments_[i].as<float>() + piece.shard_offset : nullptr;
  };
  const BucketOffsets& offsets = arrangement_.buckets[piece.bucket];
  if (offsets.precision == Precision::kFp32) {
    return {static_cast<float*>(parameters_.Owned(piece)), moment(0), moment(1)};
  }
  const int64_t begin = arrangement_.sharding.optimizer ? offsets.shard_begin : offsets.flat_begin;
  return {masters_.as<float>() + master_begin_[piece.bucket] + piece.shard_offset - begin, moment(0), moment(1)};
}

/// fp32: nothing to do, the master is the compute parameter.
void OptimizerState::RoundToCompute(const OwnedPiece& piece) {
  if (arrangement_.buckets[piece.bucket].precision == Precision::kFp32) return;
  parameters_.home().ops().CastToBf16(static_cast<Bf16*>(parameters_.Owned(piece)), StateOf(piece).master,
                                      piece.numel());
}

void OptimizerState::Load(const std::vector<const float*>& initial) {
  DeviceStream& home = parameters_.home();
  for (const auto& pieces : pieces_of_bucket_) {
    for (const OwnedPiece& piece : pieces) {
      const StatePointers state = StateOf(piece);
      copies_.ToHome(state.master, initial[piece.parameter] + piece.begin, piece.numel() * kFloatBytes, home);
      for (float* moment : {state.moment1, state.moment2}) {
        if (moment) home.ops().Fill(moment, 0.0f, piece.numel());
      }
      RoundToCompute(piece);
    }
  }
  home.Synchronize();
}

std::vector<WholeTensorSums> OptimizerState::Prepare(const std::vector<ParameterStep>& steps, float clip,
                                                     const std::function<const float*(const OwnedPiece&)>& mean) {
  if (!sums_) return {};
  std::vector<WholeTensorSums> sums(steps.size());
  DeviceStream& home = parameters_.home();
  auto* accumulators = sums_.as<WholeTensorSums>();
  copies_.ToHome(accumulators, sums.data(), sums_.bytes(), home);
  for (const auto& pieces : pieces_of_bucket_) {
    for (const OwnedPiece& piece : pieces) {
      const ParameterStep& step = steps[piece.parameter];
      if (!step.updated) continue;
      PrepareStep(home.ops(), optimizer_, step.group, step.products, clip, StateOf(piece), mean(piece), piece.numel(),
                  accumulators[piece.parameter]);
    }
  }
  copies_.FromHome(sums.data(), accumulators, sums_.bytes(), home);
  home.Synchronize();
  return sums;
}

void OptimizerState::Update(int bucket, const std::vector<ParameterStep>& steps, float clip,
                            const std::function<const float*(const OwnedPiece&)>& mean,
                            const std::vector<WholeTensorSums>& sums) {
  if (matrices_) return UpdateMatrices(bucket, steps, clip, mean);
  Ops& ops = parameters_.home().ops();
  for (const OwnedPiece& piece : pieces_of_bucket_[bucket]) {
    const ParameterStep& step = steps[piece.parameter];
    if (!step.updated) continue;
    if (sums.empty()) {
      ApplyStep(ops, optimizer_, step.group, step.products, clip, StateOf(piece), mean(piece), piece.numel());
    } else {
      FinishStep(ops, optimizer_, step.group, step.products, StateOf(piece), piece.numel(), sums[piece.parameter]);
    }
    RoundToCompute(piece);
  }
}

void OptimizerState::UpdateMatrices(int bucket, const std::vector<ParameterStep>& steps, float clip,
                                    const std::function<const float*(const OwnedPiece&)>& mean) {
  Ops& ops = parameters_.home().ops();
  std::vector<OwnedPiece> updated;
  for (const OwnedPiece& piece : pieces_of_bucket_[bucket]) {
    if (steps[piece.parameter].updated) updated.push_back(piece);
  }
  for (const OwnedPiece& piece : updated) {
    const ParameterStep& step = steps[piece.parameter];
    MuonDirection(ops, optimizer_, step.group, step.products, clip, matrices_->Direction(piece), StateOf(piece).moment1,
                  mean(piece), piece.numel());
  }
  matrices_->Orthogonalize(bucket, [&](int parameter) {
    return steps[parameter].updated ? std::optional(steps[parameter].group.eps) : std::nullopt;
  });
  for (const OwnedPiece& piece : updated) {
    MuonUpdate(ops, optimizer_, steps[piece.parameter].group, matrices_->shape(piece.parameter), StateOf(piece),
               matrices_->Orthogonal(piece), piece.numel());
    RoundToCompute(piece);
  }
}

void OptimizerState::Write(const std::string& state, const OwnedPiece& piece, int64_t begin, int64_t end,
                           const float* host) {
  float* values = At(state, piece);
  if (!values) throw std::invalid_argument("this optimizer has no state " + state);
  DeviceStream& home = parameters_.home();
  copies_.ToHome(values + (begin - piece.begin), host, (end - begin) * kFloatBytes, home);
  home.Synchronize();
}

void OptimizerState::RoundMasters(int bucket) {
  for (const OwnedPiece& piece : pieces_of_bucket_[bucket]) RoundToCompute(piece);
}

const float* OptimizerState::Find(const std::string& state, const OwnedPiece& piece) const { return At(state, piece); }

float* OptimizerState::At(const std::string& state, const OwnedPiece& piece) const {
  const StatePointers pointers = StateOf(piece);
  if (state == "master") return pointers.master;
  const std::vector<std::string> names = MomentNames(optimizer_.kind);
  for (size_t i = 0; i < names.size(); ++i) {
    if (state == names[i]) return i == 0 ? pointers.moment1 : pointers.moment2;
  }
  return nullptr;
}

}  // namespace zerocts::engine
