#include <zerocts/library/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "impl/library/engine_state.hpp"
#include "impl/library/inner_settings.hpp"
#include "impl/stages/engine/memory_estimate.hpp"

namespace zerocts::library {
namespace {

MemoryBytes BytesOf(const engine::MemoryLedger& ledger) {
  using engine::MemoryKind;
  return {.parameters = ledger[MemoryKind::kParameter],
          .gradients = ledger[MemoryKind::kGradient],
          .optimizer = ledger[MemoryKind::kOptimizer],
          .buffers = ledger[MemoryKind::kBuffer],
          .peak = ledger.peak(),
          .on_host = ledger.on_host()};
}

}  // namespace

Engine::State::State(const Communicator& communicator, const EngineSettings& settings, const Tensors& initial)
    : inner(Inner(settings, communicator.world_size())), ends(communicator.ends()) {
  engine::RequireServed(inner,
                        ends->rank_settings.world_size);  // before ranks wait for each other, so that all refuse alike
  RequireElements("initial values", inner.parameters, initial, false);
  running = std::make_unique<RunningEngine>(*ends, inner, initial);
}

void Engine::State::Accumulate(const std::vector<const void*>& gradients) {
  engine().Accumulate(step, micro_batch, gradients);
  ++micro_batch;
}

Engine::Engine(const Communicator& ranks, const EngineSettings& settings,
               const std::vector<std::vector<float>>& initial)
    : state_(std::make_unique<State>(ranks, settings, initial)) {}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

void Engine::Accumulate(const std::vector<const void*>& gradients) { state_->Accumulate(gradients); }

void Engine::Accumulate(const std::vector<std::vector<float>>& gradients) {
  RequireElements("gradients", state_->inner.parameters, gradients, true);
  std::vector<std::vector<Bf16>> narrow(gradients.size());
  std::vector<const void*> pointers;
  for (size_t p = 0; p < gradients.size(); ++p) {
    const auto numel = std::ssize(gradients[p]);
    const bool wide = state_->inner.parameters[p].precision == zerocts::Precision::kFp32;
    narrow[p].resize(wide ? 0 : numel);
    if (!wide) HostOps().CastToBf16(narrow[p].data(), gradients[p].data(), numel);
    const void* values = wide ? static_cast<const void*>(gradients[p].data()) : narrow[p].data();
    pointers.push_back(gradients[p].empty() ? nullptr : values);
  }
  state_->Accumulate(pointers);
}

StepResult Engine::Step() {
  const engine::StepResult result = state_->engine().Step(state_->step);
  ++state_->step;
  state_->micro_batch = 0;
  state_->engine().SetMaxNorm(state_->inner.max_norm);
  return {result.grad_norm, result.clip_coefficient};
}

float Engine::SyncGradients() { return state_->engine().SyncGradients(state_->step); }

float Engine::ClipGradNorm(float max_norm) {
  RequireMaxNorm(max_norm);
  const float norm = SyncGradients();
  state_->engine().SetMaxNorm(max_norm);
  return norm;
}

void Engine::AddGroup(const HyperParameters& values, const std::vector<Parameter>& parameters,
                      const std::vector<std::vector<float>>& initial) {
  engine::EngineSettings wider = state_->inner;
  for (Parameter added : parameters) {
    added.group = static_cast<int>(wider.groups.size());
    wider.parameters.push_back(Inner(added));
  }
  wider.groups.push_back(Inner(values));
  engine::RequireServed(wider, state_->ends->rank_settings.world_size);
  const std::span all(wider.parameters);
  RequireElements("initial values", all.subspan(state_->inner.parameters.size()), initial, false);
  state_->running = Widened(state_->engine(), *state_->ends, wider, initial);
  state_->inner = wider;
}

std::vector<float> Engine::ReadParameter(int parameter) const {
  const auto& parameters = state_->inner.parameters;
  if (parameter < 0 || parameter >= std::ssize(parameters)) {
    throw std::invalid_argument(
        fmt::format("parameter is {}: this engine has {} parameters", parameter, parameters.size()));
  }
  const engine::EngineParameter& read = parameters[parameter];
  std::vector<float> values(read.spec.numel());
  const int64_t bytes = read.spec.numel() * engine::ElementBytes(read.precision);
  if (read.precision == zerocts::Precision::kFp32) {
    state_->engine().ReadParameter(parameter, values.data(), bytes);
    return values;
  }
  std::vector<Bf16> narrow(read.spec.numel());
  state_->engine().ReadParameter(parameter, narrow.data(), bytes);
  HostOps().CastToFloat(values.data(), narrow.data(), read.spec.numel());
  return values;
}

const std::vector<std::vector<float>>& Engine::GatherParameters() {
  ReshardParameters();
  for (int p = 0; p < std::ssize(state_->inner.parameters); ++p) state_->gathered.push_back(ReadParameter(p));
  return state_->gathered;
}

void Engine::ReshardParameters() { state_->gathered = {}; }

std::vector<ElementRange> Engine::Owned(int parameter) const {
  std::vector<ElementRange> ranges;
  for (const engine::ElementRange& range : state_->engine().Owned(parameter))
    ranges.push_back({range.begin, range.end});
  return ranges;
}

std::vector<float> Engine::ReadState(const std::string& state, int parameter, ElementRange range) const {
  std::vector<float> values(std::max<int64_t>(range.end - range.begin, 0));
  state_->engine().ReadState(state, parameter, {range.begin, range.end}, values.data());
  return values;
}

void Engine::SetGroup(int group, const HyperParameters& values) { state_->engine().SetGroup(group, Inner(values)); }
void Engine::SetFrozen(int parameter, bool frozen) { state_->engine().SetFrozen(parameter, frozen); }

MemoryBytes Engine::Memory() const { return BytesOf(state_->engine().memory()); }

MemoryBytes Engine::MemoryEstimate(const EngineSettings& settings, int rank, int world_size) {
  if (rank < 0 || rank >= world_size) {
    throw std::invalid_argument(fmt::format("rank is {}: expected one of {} ranks", rank, world_size));
  }
  const engine::EngineSettings inner = Inner(settings, world_size);
  engine::RequireServed(inner, world_size);
  return BytesOf(engine::EstimateMemory(inner, rank, world_size));
}

}  // namespace zerocts::library
