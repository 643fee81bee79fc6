// What a rank is given for one parameter by one micro-batch: values, zeros, or NULL.
#pragma once
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// Buffers and frozen parameters always; what the experiment has no gradient for unless the case gives zeros there.
bool IsGivenAsNull(const Case& c, int parameter, int64_t step, int64_t g);

/// Does every step get the gradients of the first? Where calls are timed, making others would take longer than a step.
bool RepeatsGradients(const Case& c);

/// What is given where it is not NULL, [numel]; for every source but kModel. Zeros where the experiment has no
/// gradient.
void FillGivenGradient(const Case& c, int64_t step, int64_t g, int parameter, float* out);

}  // namespace zerocts
