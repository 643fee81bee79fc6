// How an engine goes on where another one stood.
#include <stdexcept>

#include "impl/stages/engine/engine.hpp"

namespace zerocts::engine {

EngineProgress Engine::Progress() const {
  return {position_.steps(), loss_scale_, groups_of_parameters_, products_, frozen_};
}

void Engine::Resume(const EngineProgress& progress) {
  if (progress.groups.size() != groups_of_parameters_.size() || progress.products.size() != products_.size() ||
      progress.frozen.size() != frozen_.size()) {
    throw std::invalid_argument("the progress is of an engine with other groups or parameters");
  }
  position_.Resume(progress.steps);
  loss_scale_ = progress.loss_scale;
  groups_of_parameters_ = progress.groups;
  products_ = progress.products;
  frozen_ = progress.frozen;
}

void Engine::WriteState(const std::string& state, int parameter, ElementRange range, const float* host) {
  const auto [piece, begin, end] = OwnedRangeOf(parameter, range);
  ClassOf(parameter).stores.optimizer.Write(state, piece, begin, end, host);
}

void Engine::WriteBuffer(int parameter, const void* host) {
  RequireParameter(parameter);
  const ParameterPart& part = dense().arrangement.parts[parameter];
  const int64_t element_bytes = ElementBytes(settings_.parameters[parameter].precision);
  std::vector<std::byte> own(part.numel() * element_bytes);
  CopyFromWhole(part, element_bytes, host, own.data());
  dense().stores.buffers.Write(parameter, own.data(), device_, *streams_.compute);
}

void Engine::AllGatherResumed() {
  for (const auto& part : classes_) {
    for (int bucket = 0; bucket < part->arrangement.bucket_count(); ++bucket) {
      part->stores.optimizer.RoundMasters(bucket);
      part->stores.parameters->AllGatherParameters(bucket);
    }
  }
  streams_.Synchronize();
}

}  // namespace zerocts::engine
