#include <zerocts/library/distributed_optimizer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "impl/library/inner_settings.hpp"
#include "impl/library/storage.hpp"
#include "reference/optim/step.hpp"

namespace zerocts::library {
namespace {

void RequireAlike(const engine::Layout& parameters, const engine::Layout& gradients) {
  if (parameters == gradients) return;
  throw std::invalid_argument(
      fmt::format("parameters have tensors of {} elements, {} with padding, and gradients of {}, {} with padding: "
                  "expected buffers of the same ranks, tensors and alignment",
                  fmt::join(parameters.numel, ", "), parameters.padded_numel(), fmt::join(gradients.numel, ", "),
                  gradients.padded_numel()));
}

void RequireElementwise(const Optimizer& optimizer) {
  if (!NeedsWholeTensors(optimizer)) return;
  throw std::invalid_argument(
      fmt::format("{} needs whole tensors, which shards cut: expected another optimizer, or the class Engine",
                  ToString(optimizer.kind)));
}

std::vector<int> GroupsOfTensors(const OptimizerSettings& settings, size_t tensors) {
  std::vector<int> groups = settings.group_of_tensor;
  if (groups.empty()) groups.resize(tensors);
  if (groups.size() != tensors) {
    throw std::invalid_argument(fmt::format("groups of {} tensors: expected {}", groups.size(), tensors));
  }
  for (size_t t = 0; t < tensors; ++t) RequireGroup(fmt::format("tensor {}", t), groups[t], settings.groups.size());
  return groups;
}

}  // namespace

struct DistributedOptimizer::State {
  State(Buffer& parameter_buffer, Buffer& gradient_buffer, const OptimizerSettings& settings)
      : parameters(parameter_buffer),
        gradients(gradient_buffer),
        reduction(settings.gradients),
        optimizer(Inner(settings.optimizer)),
        groups(Inner(settings.groups)),
        group_of_tensor(GroupsOfTensors(settings, static_cast<size_t>(parameter_buffer.tensors()))),
        products(settings.groups.size()) {
    RequireAlike(parameters.storage().layout, gradients.storage().layout);
    RequireElementwise(optimizer);
    const auto numel = static_cast<size_t>(parameters.shard_numel());
    master.resize(numel);
    moments.assign(MomentNames(optimizer.kind).size(), std::vector<float>(numel));
    parameters.storage().ReadAsFloat(master.data(), parameters.storage().shard_begin(), parameters.shard_numel());
  }

  StatePointers At(int64_t element) {
    return {master.data() + element, moments[0].data() + element,
            moments.size() > 1 ? moments[1].data() + element : nullptr};
  }

  void Update() {
    const Buffer::Storage& reduced = gradients.storage();
    std::vector<float> gradient(master.size());
    reduced.ReadAsFloat(gradient.data(), reduced.shard_begin(), gradients.shard_numel());
    for (size_t g = 0; g < groups.size(); ++g) products[g].Advance(groups[g]);
    for (const engine::Piece& piece : reduced.layout.PiecesOf(reduced.ends->rank_settings.rank)) {
      const int group = group_of_tensor[piece.parameter];
      ApplyStep(HostOps(), optimizer, groups[group], products[group], 1.0f, At(piece.shard_offset),
                gradient.data() + piece.shard_offset, piece.numel());
    }
  }

  Buffer &parameters, &gradients;
  const GradientReduction reduction;
  const Optimizer optimizer;
  std::vector<zerocts::HyperParameters> groups;
  const std::vector<int> group_of_tensor;
  std::vector<BetaProducts> products;  // of each group
  std::vector<float> master;           // of the own shard, like the moments
  std::vector<std::vector<float>> moments;
};

DistributedOptimizer::DistributedOptimizer(Buffer& parameters, Buffer& gradients, const OptimizerSettings& settings)
    : state_(std::make_unique<State>(parameters, gradients, settings)) {}

DistributedOptimizer::~DistributedOptimizer() = default;
DistributedOptimizer::DistributedOptimizer(DistributedOptimizer&&) noexcept = default;
DistributedOptimizer& DistributedOptimizer::operator=(DistributedOptimizer&&) noexcept = default;

void DistributedOptimizer::Step() {
  State& s = *state_;
  s.gradients.ReduceScatter(s.reduction);
  s.Update();
  s.parameters.storage().WriteRounded(s.parameters.storage().shard_begin(), s.master.data(),
                                      s.parameters.shard_numel());
  s.parameters.AllGather();
  s.gradients.Zero();
}

void DistributedOptimizer::SetGroup(int group, const HyperParameters& values) {
  RequireGroup("SetGroup", group, state_->groups.size());
  state_->groups[group] = Inner(values);
}

std::vector<float> DistributedOptimizer::ReadState(const std::string& state) const {
  if (state == "master") return state_->master;
  const std::vector<std::string> names = MomentNames(state_->optimizer.kind);
  for (size_t i = 0; i < names.size(); ++i) {
    if (state == names[i]) return state_->moments[i];
  }
  throw std::invalid_argument(fmt::format("state {} is unknown: {} has master, {}", state,
                                          ToString(state_->optimizer.kind), fmt::join(names, ", ")));
}

}  // namespace zerocts::library
