#include "reference/optim/muon.hpp"

#include <cmath>
#include <stdexcept>

namespace zerocts {
namespace {

constexpr int kSteps = 5;
constexpr float kA = 3.4445f, kB = -4.7750f, kC = 2.0315f;  // of the quintic polynomial a x + b x^3 + c x^5

/// SGD's step by -1 from zero is its direction.
MomentumScalars DirectionScalars(const HyperParameters& group, const BetaProducts& products, float clip) {
  return {.lr = -1.0f,
          .momentum = group.momentum,
          .weight_decay = 0.0f,
          .gradient_weight = static_cast<float>(1.0 - group.dampening),
          .nesterov = group.nesterov,
          .first = products.momentum_steps <= 1,
          .clip = clip};
}

float ScaleOf(const MatrixShape& shape) {
  const double ratio = static_cast<double>(shape.rows) / static_cast<double>(shape.columns);
  return static_cast<float>(std::sqrt(std::max(1.0, ratio)));
}

}  // namespace

MatrixShape MatrixShapeOf(const std::vector<int64_t>& shape) {
  if (shape.size() != 2) throw std::logic_error("a matrix has two dimensions");
  return {shape[0], shape[1]};
}

void MuonDirection(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                   float clip, float* direction, float* momentum, const float* gradient, int64_t numel) {
  ops.Fill(direction, 0.0f, numel);
  ops.MomentumSgd(optimizer.formula, DirectionScalars(group, products, clip), direction, momentum, gradient, numel);
}

void Orthogonalize(Ops& ops, const OptimizerFormula& formula, float eps, float norm, float* inout,
                   const MatrixShape& shape, float* work) {
  const auto [rows, columns] = shape;
  const int64_t side = shape.side(), squares = side * side;
  if (squares == 0) return;
  const bool tall = rows > columns, in_bf16 = formula.matrix_products == MatrixProducts::kBf16;
  const Operands operands = in_bf16 ? Operands::kBf16 : Operands::kFp32;
  float *x = inout, *a = work, *aa = a + squares, *bx = aa + squares;
  const auto keep = [&](float* values, int64_t numel) {
    if (in_bf16) ops.RoundToBf16(values, numel);
  };

  ops.Divide(x, norm + eps, shape.numel());
  keep(x, shape.numel());
  for (int step = 0; step < kSteps; ++step) {
    if (tall) {
      ops.GemmTN(a, x, x, side, side, rows, operands);
    } else {
      ops.GemmNT(a, x, x, side, side, columns, operands);
    }
    keep(a, squares);
    ops.GemmNN(aa, a, a, side, side, side, operands);
    keep(aa, squares);
    ops.Scale(a, kB, squares);
    ops.Scale(aa, kC, squares);
    ops.Add(a, aa, squares);
    const float* b = a;
    keep(a, squares);
    if (tall) {
      ops.GemmNN(bx, x, b, rows, columns, side, operands);
    } else {
      ops.GemmNN(bx, b, x, rows, columns, side, operands);
    }
    ops.Scale(x, kA, shape.numel());
    ops.Add(x, bx, shape.numel());
    keep(x, shape.numel());
  }
}

void MuonUpdate(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const MatrixShape& shape,
                StatePointers state, const float* orthogonal, int64_t numel) {
  const MomentumScalars scalars{.lr = group.lr,
                                .momentum = 0.0f,
                                .weight_decay = group.weight_decay,
                                .gradient_weight = 1.0f,
                                .nesterov = false,
                                .first = true,
                                .clip = ScaleOf(shape)};
  ops.MomentumSgd(optimizer.formula, scalars, state.master, state.moment1, orthogonal, numel);
}

void ApplyMuon(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
               float clip, StatePointers state, const float* gradient, const MatrixShape& shape) {
  std::vector<float> direction(static_cast<size_t>(shape.numel())), work(static_cast<size_t>(shape.work_numel()));
  MuonDirection(ops, optimizer, group, products, clip, direction.data(), state.moment1, gradient, shape.numel());
  SumOfSquares squares;
  ops.AddSquares(&squares, direction.data(), shape.numel());
  Orthogonalize(ops, optimizer.formula, group.eps, squares.Norm(), direction.data(), shape, work.data());
  MuonUpdate(ops, optimizer, group, shape, state, direction.data(), shape.numel());
}

}  // namespace zerocts
