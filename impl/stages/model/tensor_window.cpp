#include "impl/stages/model/tensor_window.hpp"

#include "impl/device/idle_ops.hpp"
#include "impl/layout/element_bytes.hpp"
#include "impl/stages/rank/nowhere.hpp"
#include "impl/tensor_parallel/layers.hpp"
#include "reference/model/model.hpp"

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

}  // namespace

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

}  // namespace zerocts::engine
