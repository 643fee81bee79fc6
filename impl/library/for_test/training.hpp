// A small training of odd sizes, whose gradients are inexact when they are added.
#pragma once
#include <zerocts/engine.hpp>

#include <cstdint>
#include <vector>

namespace zerocts::library {

using Tensors = std::vector<std::vector<float>>;

inline const std::vector<int64_t> kSizes = {7, 1, 0, 35};
inline constexpr int kSteps = 4;

/// Values that bf16 has.
Tensors InitialTensors();
Tensors GradientsOf(int step, int rank);

/// Settings for parameters of kSizes, in two groups.
EngineSettings SettingsOf(int stage, const std::string& plan, Precision precision = Precision::kFp32);

/// Each rank is given its own gradients.
Tensors TrainOn(const Communicator& ranks, const EngineSettings& settings);
/// One rank is given those of all `world_size` ranks as micro-batches.
Tensors TrainAlone(EngineSettings settings, int world_size);

/// The bits of every element, so that -0 is not 0.
std::vector<std::vector<uint32_t>> BitsOf(const Tensors& tensors);

}  // namespace zerocts::library
