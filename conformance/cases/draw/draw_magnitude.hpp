// The size of a case's numbers. Most cases are plain, so that nothing else is hidden; the others have subnormal, tiny
// or huge initial values, gradients, moments, learning rates or weight decays, so that arithmetic that flushes
// subnormals to zero, or overflows early, shows in bits.
#pragma once
#include "conformance/cases/draw/case_space.hpp"
#include "conformance/cases/draw/draws.hpp"

namespace zerocts {

/// Changes exponents and hyper-parameters of a case whose data, optimizer, scaling and order are drawn. Nothing that
/// the reference computes from it overflows. Cases that are not compared with the reference's bits stay plain. Where
/// norms are added in an order of the subject's own, squares stay finite too: it may look at them unasked.
void DrawMagnitude(const CaseSpace& space, const Capabilities& can, Draws& draws, Case& c);

}  // namespace zerocts
