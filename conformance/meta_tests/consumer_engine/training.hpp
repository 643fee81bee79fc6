// One small training, by each way that zerocts::engine offers.
#pragma once
#include <zerocts/engine.hpp>

#include <string>
#include <vector>

using Tensors = std::vector<std::vector<float>>;

inline constexpr int kSteps = 5;

/// Odd sizes, one element among them.
Tensors InitialParameters();
/// The gradients of one rank's micro-batch; not the same on all ranks, and inexact when they are added.
Tensors Gradients(int step, int rank);

/// Three groups of hyper-parameters and clipping: what an engine on `shards` x `replicas` ranks is asked to do.
zerocts::engine::EngineSettings Settings(int stage, const std::string& plan, zerocts::engine::Precision precision);

Tensors TrainWithEngine(const zerocts::engine::Communicator& ranks, const zerocts::engine::EngineSettings& settings);

/// One rank that is given the gradients of all `world_size` of them as micro-batches.
Tensors TrainAlone(zerocts::engine::EngineSettings settings, int world_size);

/// The same by a DistributedOptimizer over two buffers of one precision.
Tensors TrainWithBuffers(const zerocts::engine::Communicator& ranks, zerocts::engine::Precision precision);
