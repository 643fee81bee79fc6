// Muon (Jordan and others, 2024): the direction of SGD with momentum, whose matrix is replaced by a near one that has
// all singular values near 1. Defined on whole matrices; only its first and last part go element by element.
//
//   u = the direction of SGD with momentum, Nesterov's where asked;  X = u / (|u| + eps), |u| the exact Frobenius norm
//   5 times:  A = X X^T;  B = b A + c A A;  X = a X + B X     Newton and Schulz, a quintic polynomial of each
//                                                             singular value; tall: A = X^T X, X = a X + X B
//   p = p - lr (s X + weight_decay p),  s = sqrt(max(1, rows / columns))
//
// Each product of matrices is one fma chain per element (ops.hpp); all other operations are rounded once as written.
// In MatrixProducts::kBf16, X, A, A A and B are rounded to bf16 each time they were made.
// Source: https://kellerjordan.github.io/posts/muon/
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/optim/step.hpp"

namespace zerocts {

struct MatrixShape {
  int64_t rows = 0, columns = 0;
  int64_t numel() const { return rows * columns; }
  int64_t side() const { return std::min(rows, columns); }  // of A
  int64_t work_numel() const { return 2 * side() * side() + numel(); }
};

/// Expects two dimensions.
MatrixShape MatrixShapeOf(const std::vector<int64_t>& shape);

/// Advances the momentum of a piece of a matrix; direction [numel] is u.
void MuonDirection(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                   float clip, float* direction, float* momentum, const float* gradient, int64_t numel);

/// u [rows, columns], whole, becomes X. `norm`: of u. `work`: [shape.work_numel()], may hold anything.
void Orthogonalize(Ops& ops, const OptimizerFormula& formula, float eps, float norm, float* inout,
                   const MatrixShape& shape, float* work);

/// Moves a piece of a matrix of that shape by its elements of X. The state's momentum is left as it is.
void MuonUpdate(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const MatrixShape& shape,
                StatePointers state, const float* orthogonal, int64_t numel);

/// All three, on a whole matrix in memory of the host.
void ApplyMuon(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
               float clip, StatePointers state, const float* gradient, const MatrixShape& shape);

}  // namespace zerocts
