#include "impl/stages/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace zerocts {
namespace {

std::vector<int64_t> Numels(const std::vector<ParameterSpec>& parameters) {
  std::vector<int64_t> numel;
  for (const ParameterSpec& parameter : parameters) numel.push_back(parameter.numel());
  return numel;
}

std::vector<int> Groups(const std::vector<ParameterSpec>& parameters) {
  std::vector<int> groups;
  for (const ParameterSpec& parameter : parameters) groups.push_back(parameter.group);
  return groups;
}

int64_t Largest(const std::vector<int64_t>& numel) {
  return numel.empty() ? 0 : *std::max_element(numel.begin(), numel.end());
}

}  // namespace

Engine::Engine(EngineSettings settings, std::unique_ptr<Stage> stage, Communicator& comm, Device& device,
               const std::vector<const float*>& initial)
    : settings_(std::move(settings)),
      stage_(std::move(stage)),
      comm_(comm),
      device_(device),
      stream_(device.MakeStream()),
      layout_(MakeLayout(settings_.plan, Numels(settings_.parameters), comm.world_size())),
      shard_(stage_->StateShard(layout_, comm.rank())),
      upload_(device, *stream_, Largest(layout_.numel), ledger_),
      parameters_(comm, device, *stream_, layout_, settings_.precision, ledger_),
      gradients_(comm, *stream_, layout_, ledger_),
      optimizer_(device, *stream_, settings_.optimizer, shard_, parameters_.MastersOf(shard_),
                 Groups(settings_.parameters), ledger_),
      squares_(Buffer::OfDevice(device, sizeof(SumOfSquares), MemoryKind::kBuffer, ledger_)),
      position_(settings_.micro_batches),
      groups_(settings_.groups),
      products_(groups_.size()) {
  if (settings_.model) {
    model_.emplace(*settings_.model, settings_.parameters, settings_.precision, settings_.micro_batches, device, *stream_,
                   ledger_);
  }
  parameters_.Load(initial, upload_);
  optimizer_.Load(initial);
}

void Engine::Accumulate(int64_t step, int64_t micro_batch, const std::vector<const void*>& gradients) {
  if (gradients.size() != layout_.numel.size()) {
    throw std::invalid_argument(fmt::format("{} gradients were given: expected one for each of {} parameters",
                                            gradients.size(), layout_.numel.size()));
  }
  position_.TakeMicroBatch(step, micro_batch);
  for (size_t p = 0; p < gradients.size(); ++p) {
    upload_.ForEachChunk(gradients[p], settings_.precision, layout_.numel[p],
                         [&](int64_t begin, const float* values, int64_t count) {
                           gradients_.Accumulate(micro_batch, p, begin, values, count);
                         });
  }
}

double Engine::ForwardBackward(int64_t step, int64_t micro_batch, const int32_t* inputs, const int32_t* targets,
                               int64_t batch, int64_t context) {
  if (!model_) throw std::invalid_argument("this engine has no model: expected given gradients (accumulate)");
  position_.TakeMicroBatch(step, micro_batch);
  return model_->ForwardBackward(micro_batch, inputs, targets, batch, context, parameters_, gradients_);
}

StepResult Engine::Step(int64_t step) {
  position_.TakeStep(step);

  const auto micro_batches = static_cast<float>(comm_.world_size() * settings_.micro_batches);
  stage_->ReduceGradients(gradients_, {settings_.reduction_order, micro_batches});

  StepResult result;
  result.grad_norm = GradientNorm();
  result.clip_coefficient = ClipCoefficient(result.grad_norm, settings_.max_norm, settings_.clip_epsilon);

  for (size_t group = 0; group < groups_.size(); ++group) products_[group].Advance(groups_[group]);
  optimizer_.Apply(groups_, products_, result.clip_coefficient, MeanGradient());

  parameters_.WriteBack(shard_, optimizer_.masters());
  stage_->PublishParameters(parameters_);
  return result;
}

float Engine::GradientNorm() {
  auto* on_device = squares_.as<SumOfSquares>();
  SumOfSquares squares;
  device_.CopyFromHost(on_device, &squares, sizeof squares, *stream_);
  for (const Piece& piece : shard_.pieces) {
    stream_->ops().AddSquares(on_device, MeanGradient() + piece.shard_offset, piece.end - piece.begin);
  }
  device_.CopyToHost(&squares, on_device, sizeof squares, *stream_);
  stream_->Synchronize();
  stage_->CompleteSquares(squares, comm_);
  return squares.Norm();
}

void Engine::SetGroup(int group, const HyperParameters& values) {
  if (group < 0 || group >= std::ssize(groups_)) {
    throw std::invalid_argument(fmt::format("group is {}: this engine has {} groups", group, groups_.size()));
  }
  groups_[group] = values;
}

void Engine::RequireParameter(int parameter) const {
  if (parameter < 0 || parameter >= std::ssize(layout_.numel)) {
    throw std::invalid_argument(
        fmt::format("parameter is {}: this engine has {} parameters", parameter, layout_.numel.size()));
  }
}

void Engine::ReadParameter(int parameter, void* host, int64_t bytes) {
  RequireParameter(parameter);
  const int64_t expected = layout_.numel[parameter] * ElementBytes(settings_.precision);
  if (bytes != expected)
    throw std::invalid_argument(
        fmt::format("parameter {} has {} bytes, but {} were asked", parameter, expected, bytes));
  parameters_.Read(parameter, host);
}

std::vector<ElementRange> Engine::Owned(int parameter) const {
  RequireParameter(parameter);
  std::vector<ElementRange> ranges;
  for (const Piece& piece : shard_.pieces) {
    if (piece.parameter == parameter) ranges.push_back({piece.begin, piece.end});
  }
  return ranges;
}

void Engine::ReadState(const std::string& state, int parameter, ElementRange range, float* host) {
  RequireParameter(parameter);
  for (const Piece& piece : shard_.pieces) {
    if (piece.parameter != parameter || range.begin < piece.begin || range.end > piece.end || range.begin > range.end)
      continue;
    const float* values = ShardOfState(state) + piece.shard_offset + (range.begin - piece.begin);
    device_.CopyToHost(host, values, (range.end - range.begin) * static_cast<int64_t>(sizeof(float)), *stream_);
    stream_->Synchronize();
    return;
  }
  throw std::invalid_argument(
      fmt::format("elements [{}, {}) of parameter {} are not owned by rank {}: ask for what `owned` says", range.begin,
                  range.end, parameter, comm_.rank()));
}

const float* Engine::ShardOfState(const std::string& state) const {
  if (state == "gradient") {
    if (position_.right_after_a_step()) return MeanGradient();
    throw std::invalid_argument(
        "the mean gradient of the last step stands from the end of that step to the next micro-batch: expected a read "
        "then");
  }
  if (const float* values = optimizer_.Find(state)) return values;
  throw std::invalid_argument(fmt::format("state {} is unknown: {} has master, gradient, {}", state,
                                          ToString(settings_.optimizer),
                                          fmt::join(MomentNames(settings_.optimizer), ", ")));
}

MemoryLedger Engine::Memory() const {
  MemoryLedger memory = ledger_;
  memory[MemoryKind::kBuffer] += comm_.staging_bytes();
  return memory;
}

}  // namespace zerocts
