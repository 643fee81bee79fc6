#include "impl/stages/stores/model_buffers.hpp"

#include <stdexcept>

namespace zerocts::engine {

ModelBuffers::ModelBuffers(const RankContext& context) : settings_(context.settings) {
  constexpr int64_t kAlignment = sizeof(float);
  int64_t total = 0;
  for (const EngineParameter& parameter : settings_.parameters) {
    begin_.push_back(total);
    if (!parameter.buffer) continue;
    const int64_t bytes = parameter.spec.numel() * ElementBytes(parameter.precision);
    total += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (total > 0) memory_ = context.Allocate(BufferLocation::kDevice, total, MemoryKind::kParameter);
}

void ModelBuffers::Load(const std::vector<const float*>& initial, Device& device, DeviceStream& stream) {
  for (int p = 0; p < std::ssize(settings_.parameters); ++p) {
    const EngineParameter& parameter = settings_.parameters[p];
    if (!parameter.buffer) continue;
    const int64_t numel = parameter.spec.numel();
    if (parameter.precision == Precision::kFp32) {
      Write(p, initial[p], device, stream);
      continue;
    }
    std::vector<Bf16> narrow;
    for (int64_t i = 0; i < numel; ++i) narrow.push_back(ToBf16(initial[p][i]));
    Write(p, narrow.data(), device, stream);
  }
}

void ModelBuffers::Write(int parameter, const void* host, Device& device, DeviceStream& stream) {
  const EngineParameter& written = settings_.parameters[parameter];
  if (!written.buffer) throw std::invalid_argument("parameter " + written.spec.name + " is no buffer");
  device.CopyFromHost(Whole(parameter), host, written.spec.numel() * ElementBytes(written.precision), stream);
  stream.Synchronize();
}

}  // namespace zerocts::engine
