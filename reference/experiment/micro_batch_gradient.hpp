// What one micro-batch adds to the mean gradient: the rules between a backward pass and the sum over micro-batches.
#pragma once
#include <cstdint>
#include <vector>

#include "reference/experiment/experiment.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts {

/// From what backward gave for micro-batch `g` to what is added up, in place: multiplied by the loss scale (a model's
/// backward began with it), in each parameter's precision, tied names in one, zero where there is no gradient.
/// `gradient`: of all parameters, [offsets.back()]; `offsets`: FlatOffsets(experiment).
void FinishMicroBatch(const Experiment& experiment, const std::vector<int64_t>& offsets, int64_t step, int64_t g,
                      float loss_scale, Ops& ops, float* gradient);

}  // namespace zerocts
