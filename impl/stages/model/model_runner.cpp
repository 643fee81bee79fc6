#include "impl/stages/model/model_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"
#include "impl/stages/arrangement/engine_settings.hpp"
#include "impl/stages/rank/nowhere.hpp"
#include "impl/tensor_parallel/layers.hpp"

namespace zerocts::engine {
namespace {

class NoTensors : public TensorMemory {
 public:
  void* Allocate(int64_t) override { return Nowhere(); }
  void Free(void*) override {}
  void CopyFromHost(void*, const void*, int64_t) override {}
  void CopyToHost(void*, const void*, int64_t) override {}
};

void RunOneMicroBatch(Model& model, const ModelSpec& spec, int64_t batch) {
  const std::vector<int32_t> inputs(batch * ContextOf(spec)), targets(batch * TargetsPerSequence(spec));
  const std::vector<const float*> parameters(model.parameters().size(), static_cast<const float*>(Nowhere()));
  const std::vector<float*> gradients(model.parameters().size(), static_cast<float*>(Nowhere()));
  model.Begin(inputs.data(), targets.data(), batch);
  for (int unit = 0; unit < model.units(); ++unit) model.Forward(unit, parameters);
  for (int unit = model.units() - 1; unit >= 0; --unit) model.Backward(unit, parameters, gradients);
}

/// Floats that the layers of tensor rank `tensor_rank` ask of TensorGroup::Window in a micro-batch of settings.batch
/// sequences: the same layers run on nothing, and what they ask for is counted. 0 where the batch is not known. Local.
int64_t TensorWindowNumel(const EngineSettings& settings, int tensor_rank) {
  if (settings.tensor == 1 || settings.batch == 0) return 0;
  NowhereMemory memory;
  NoTensors tensors;
  IdleOps ops;
  IdleTransport transport(tensor_rank, settings.tensor);
  const auto device = MakeHostDevice(memory, {});
  const auto stream = device->MakeStream(StreamRole::kCompute);
  MemoryLedger ledger;
  TensorGroup group(transport, *stream, ledger);
  Model model(*settings.model, settings.precision, ops, tensors,
              UnitsOf(*settings.model, settings.precision, TensorParallelLayers(group)));
  RunOneMicroBatch(model, *settings.model, settings.batch);
  return ledger.peak() / kFloatBytes;
}

Units MakeUnits(const EngineSettings& settings, TensorGroup& tensor_ranks) {
  if (settings.tensor == 1) return UnitsOf(*settings.model, settings.precision);
  return UnitsOf(*settings.model, settings.precision, TensorParallelLayers(tensor_ranks));
}

}  // namespace

ModelRunner::ModelRunner(const std::vector<ParameterClass*>& classes)
    : settings_(classes.front()->own_settings),
      arrangement_(classes.front()->arrangement),
      expert_(arrangement_.rank % settings_.experts),
      buffers_(classes.front()->stores.buffers),
      compute_(*classes.front()->context.streams.compute),
      timeline_(classes.front()->context.timeline),
      tensors_(classes.front()->context.device, compute_),
      tensor_ranks_(classes.front()->groups.tensor, compute_, classes.front()->context.ledger),
      model_(*settings_.model, settings_.precision, compute_.ops(), tensors_, MakeUnits(settings_, tensor_ranks_)) {
  for (ParameterClass* part : classes) parts_.emplace_back(*part, model_);
  int64_t widest = 0, largest_buffer = 0;
  for (int unit = 0; unit < model_.units(); ++unit) {
    int64_t narrow = 0;
    for (const int p : model_.ParametersOf(unit)) {
      const EngineParameter& parameter = settings_.parameters[p];
      const ModelShardingUnits* part = PartWith(p);
      if (parameter.precision == Precision::kBf16) narrow += (part ? *part : parts_.front()).numel(p);
      if (parameter.buffer) largest_buffer = std::max(largest_buffer, parameter.spec.numel());
    }
    widest = std::max(widest, narrow);
  }
  const auto fp32 = [&](int64_t numel) {
    return classes.front()->context.Allocate(BufferLocation::kDevice, numel * kFloatBytes, MemoryKind::kBuffer);
  };
  if (widest > 0) wide_ = fp32(widest);
  if (largest_buffer > 0) unwanted_ = fp32(largest_buffer);
  if (const int64_t window = TensorWindowNumel(settings_, tensor_ranks_.rank())) tensor_ranks_.Window(window);
}

double ModelRunner::ForwardBackward(int micro_batch, const int32_t* inputs, const int32_t* targets, int64_t batch,
                                    int64_t context, float loss_scale, const std::vector<bool>& frozen) {
  const int64_t expected = ContextOf(*settings_.model);
  if (context != expected) {
    throw std::invalid_argument(fmt::format("context is {}: the model's is {}", context, expected));
  }
  if (batch < 1) throw std::invalid_argument("batch is 0: expected at least one sequence");

  model_.Begin(inputs, targets, batch, loss_scale, expert_);
  Unshard(0);
  for (int unit = 0; unit < model_.units(); ++unit) Forward(unit);
  Unshard(model_.units() - 1);
  for (int unit = model_.units() - 1; unit >= 0; --unit) Backward(unit, micro_batch, frozen);
  compute_.Synchronize();  // the activations are the next micro-batch's, and the losses are read here
  return model_.Loss();
}

/// Nothing for a unit that does not exist.
void ModelRunner::Unshard(int unit) {
  if (unit < 0 || unit >= model_.units()) return;
  for (ModelShardingUnits& part : parts_) part.Unshard(unit);
}

/// nullptr for a buffer, and for a parameter of another rank's expert.
const ModelShardingUnits* ModelRunner::PartWith(int parameter) const {
  const auto found = std::ranges::find_if(parts_, [&](const ModelShardingUnits& part) { return part.Has(parameter); });
  return found == parts_.end() ? nullptr : &*found;
}

std::vector<const float*> ModelRunner::Values(int unit) {
  std::vector<const float*> values(settings_.parameters.size());
  for (ModelShardingUnits& part : parts_) part.AwaitUnsharded(unit);
  float* wide = wide_.as<float>();
  for (const int p : model_.ParametersOf(unit)) {
    const EngineParameter& parameter = settings_.parameters[p];
    const ModelShardingUnits* part = PartWith(p);
    if (!part && !parameter.buffer) continue;
    const void* compute_values = parameter.buffer ? buffers_.Whole(p) : part->Whole(p);
    if (parameter.precision == Precision::kFp32) {
      values[p] = static_cast<const float*>(compute_values);
      continue;
    }
    const int64_t numel = parameter.buffer ? parameter.spec.numel() : part->numel(p);
    compute_.ops().CastToFloat(wide, static_cast<const Bf16*>(compute_values), numel);
    values[p] = wide;
    wide += numel;
  }
  return values;
}

void ModelRunner::Forward(int unit) {
  if (settings_.overlap) Unshard(unit + 1);
  timeline_.Span(compute_, "forward", unit, [&] { model_.Forward(unit, Values(unit)); });
  for (ModelShardingUnits& part : parts_) part.FinishForward(unit);
  if (!settings_.overlap) Unshard(unit + 1);
}

float* ModelRunner::GradientOf(int parameter) const {
  if (settings_.parameters[parameter].buffer) return unwanted_.as<float>();
  const ModelShardingUnits* part = PartWith(parameter);
  return part ? part->GradientOf(parameter) : nullptr;
}

void ModelRunner::Backward(int unit, int micro_batch, const std::vector<bool>& frozen) {
  if (settings_.overlap) Unshard(unit - 1);
  for (ModelShardingUnits& part : parts_) part.BeginBackward(unit, micro_batch);
  std::vector<float*> written(settings_.parameters.size());
  for (const int p : model_.ParametersOf(unit)) written[p] = GradientOf(p);
  timeline_.Span(compute_, "backward", unit, [&] { model_.Backward(unit, Values(unit), written); });
  for (ModelShardingUnits& part : parts_) part.FinishBackward(unit, micro_batch, frozen);
  if (!settings_.overlap) Unshard(unit - 1);
}

}  // namespace zerocts::engine
