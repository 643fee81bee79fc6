#include "impl/stages/model_buffers.hpp"

namespace zerocts {

ModelBuffers::ModelBuffers(const EngineSettings& settings, Device& device, MemoryLedger& ledger) : settings_(settings) {
  constexpr int64_t kAlignment = sizeof(float);
  int64_t total = 0;
  for (const EngineParameter& parameter : settings.parameters) {
    begin_.push_back(total);
    if (!parameter.buffer) continue;
    const int64_t bytes = parameter.spec.numel() * ElementBytes(parameter.precision);
    total += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (total > 0) memory_ = Buffer::OfDevice(device, total, MemoryKind::kParameter, ledger);
}

void ModelBuffers::Load(const std::vector<const float*>& initial, Device& device, DeviceStream& stream) {
  for (int p = 0; p < std::ssize(settings_.parameters); ++p) {
    const EngineParameter& parameter = settings_.parameters[p];
    if (!parameter.buffer) continue;
    const int64_t numel = parameter.spec.numel();
    if (parameter.precision == Precision::kFp32) {
      device.CopyFromHost(Whole(p), initial[p], numel * ElementBytes(Precision::kFp32), stream);
      stream.Synchronize();
      continue;
    }
    std::vector<Bf16> narrow;
    for (int64_t i = 0; i < numel; ++i) narrow.push_back(ToBf16(initial[p][i]));
    device.CopyFromHost(Whole(p), narrow.data(), numel * ElementBytes(Precision::kBf16), stream);
    stream.Synchronize();
  }
}

}  // namespace zerocts
