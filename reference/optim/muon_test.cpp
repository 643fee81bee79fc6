#include "reference/optim/muon.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/rounding_oracle_for_test.hpp"

namespace zerocts {
namespace {

using Elements = std::vector<float>;

Elements RandomMatrix(const MatrixShape& shape, uint64_t seed) {
  Elements values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(RandomBelow(seed, Stream({7}), i, 2001)) / 1000.0f - 1.0f;
  }
  return values;
}

float NormOf(const Elements& values) {
  SumOfSquares squares;
  HostOps().AddSquares(&squares, values.data(), std::ssize(values));
  return squares.Norm();
}

Elements Orthogonal(Elements matrix, const MatrixShape& shape, const OptimizerFormula& formula = {}) {
  Elements work(static_cast<size_t>(shape.work_numel()), NAN);
  const float norm = NormOf(matrix);
  Orthogonalize(HostOps(), formula, 1e-7f, norm, matrix.data(), shape, work.data());
  return matrix;
}

/// The definition again, element by element, by an arbiter that shares no arithmetic with ours.
class Walk {
 public:
  Walk(const MatrixShape& shape, bool in_bf16) : shape_(shape), in_bf16_(in_bf16) {}

  Elements Orthogonal(Elements x, float norm) {
    for (float& value : x) value = Kept(oracle_.Over(value, oracle_.Plus(norm, 1e-7f)));
    for (int step = 0; step < 5; ++step) x = Next(x);
    return x;
  }

 private:
  bool tall() const { return shape_.rows > shape_.columns; }
  float Kept(float value) const { return in_bf16_ ? RoundToBf16(value) : value; }

  /// sum over k of left(k) right(k), one fma chain from +0.
  template <typename Left, typename Right>
  float Chain(int64_t count, Left left, Right right) {
    float sum = 0;
    for (int64_t k = 0; k < count; ++k) sum = oracle_.Fma(left(k), right(k), sum);
    return sum;
  }

  Elements Next(const Elements& x) {
    const auto [rows, columns] = shape_;
    const int64_t side = shape_.side(), length = std::max(rows, columns);
    const auto at = [&](int64_t i, int64_t k) { return tall() ? x[k * columns + i] : x[i * columns + k]; };
    Elements a, b, next;
    for (int64_t i = 0; i < side; ++i) {
      for (int64_t j = 0; j < side; ++j) {
        a.push_back(Kept(Chain(
            length, [&](int64_t k) { return at(i, k); }, [&](int64_t k) { return at(j, k); })));
      }
    }
    for (int64_t i = 0; i < side; ++i) {
      for (int64_t j = 0; j < side; ++j) {
        const float square = Kept(Chain(
            side, [&](int64_t k) { return a[i * side + k]; }, [&](int64_t k) { return a[k * side + j]; }));
        b.push_back(Kept(oracle_.Plus(oracle_.Times(-4.7750f, a[i * side + j]), oracle_.Times(2.0315f, square))));
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const float turned =  // not kept by itself
            tall()
                ? Chain(
                      side, [&](int64_t k) { return x[r * columns + k]; }, [&](int64_t k) { return b[k * side + c]; })
                : Chain(
                      side, [&](int64_t k) { return b[r * side + k]; }, [&](int64_t k) { return x[k * columns + c]; });
        next.push_back(Kept(oracle_.Plus(oracle_.Times(3.4445f, x[r * columns + c]), turned)));
      }
    }
    return next;
  }

  const MatrixShape shape_;
  const bool in_bf16_;
  RoundingOracle oracle_;
};

const std::vector<MatrixShape> kShapes = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {5, 3}, {6, 6}, {17, 4}, {4, 33}};

TEST(Muon, RoundsWhatIsWrittenOnce) {
  for (const MatrixShape& shape : kShapes) {
    const Elements matrix = RandomMatrix(shape, 3);
    for (const MatrixProducts products : {MatrixProducts::kFp32, MatrixProducts::kBf16}) {
      const Elements expected = Walk(shape, products == MatrixProducts::kBf16).Orthogonal(matrix, NormOf(matrix));
      EXPECT_EQ(Orthogonal(matrix, shape, {.matrix_products = products}), expected)
          << shape.rows << " x " << shape.columns;
    }
  }
}

/// X X^T of the smaller side: near 1 on the diagonal, and no singular value is far from 1.
TEST(Muon, MakesRowsNearlyOrthonormal) {
  const MatrixShape wide{5, 40}, tall{40, 5};
  const Elements x = Orthogonal(RandomMatrix(wide, 11), wide);
  for (int64_t i = 0; i < 5; ++i) {
    double length = 0;
    for (int64_t k = 0; k < 40; ++k) length += static_cast<double>(x[i * 40 + k]) * x[i * 40 + k];
    EXPECT_GT(length, 0.4) << i;
    EXPECT_LT(length, 1.5) << i;
  }
  const float norm = NormOf(Orthogonal(RandomMatrix(tall, 11), tall));
  EXPECT_GT(norm, 0.68 * std::sqrt(5.0));
  EXPECT_LT(norm, 1.21 * std::sqrt(5.0));
}

/// One row: its only singular value goes through the polynomial five times.
TEST(Muon, OfOneRowIsItsDirection) {
  double value = 1;
  for (int step = 0; step < 5; ++step)
    value = 3.4445 * value - 4.7750 * std::pow(value, 3) + 2.0315 * std::pow(value, 5);
  const Elements x = Orthogonal({3.0f, 0.0f, -4.0f}, {1, 3});
  EXPECT_NEAR(x[0], 0.6 * value, 1e-5);
  EXPECT_EQ(x[1], 0.0f);
  EXPECT_NEAR(x[2], -0.8 * value, 1e-5);
}

TEST(Muon, OfAZeroMatrixIsZeroAndOfNaNNaN) {
  EXPECT_EQ(Orthogonal(Elements(6, 0.0f), {2, 3}), Elements(6, 0.0f));
  const Elements spread = Orthogonal({NAN, 1, 1, 1, 1, 1}, {2, 3});
  for (const float value : spread) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(Orthogonal({}, {0, 3}), Elements());
}

struct Moved {
  Elements weights, momentum;
};

/// Two steps in place: the direction of SGD, then the matrix.
Moved TwoSteps(const HyperParameters& h, const MatrixShape& shape, float clip) {
  Moved moved{RandomMatrix(shape, 1), Elements(static_cast<size_t>(shape.numel()))};
  BetaProducts products;
  for (uint64_t step = 0; step < 2; ++step) {
    products.Advance(h);
    const Elements gradient = RandomMatrix(shape, 20 + step);
    ApplyMuon(HostOps(), OptimizerKind::kMuon, h, products, clip,
              {moved.weights.data(), moved.momentum.data(), nullptr}, gradient.data(), shape);
  }
  return moved;
}

TEST(Muon, IsSgdWithAnotherDirection) {
  const MatrixShape shape{6, 3};
  const HyperParameters h{.lr = 0.25f, .weight_decay = 0.5f, .momentum = 0.5f, .eps = 1e-7f, .nesterov = true};
  const Moved moved = TwoSteps(h, shape, 0.5f);

  Elements p = RandomMatrix(shape, 1), u(18);
  for (uint64_t step = 0; step < 2; ++step) {
    const Elements g = RandomMatrix(shape, 20 + step);
    Elements direction;
    for (size_t i = 0; i < g.size(); ++i) {
      u[i] = step == 0 ? 0.5f * g[i] : std::fma(0.5f, u[i], 0.5f * g[i]);
      direction.push_back(std::fma(0.5f, u[i], 0.5f * g[i]));
    }
    const Elements x = Orthogonal(direction, shape);
    for (size_t i = 0; i < p.size(); ++i) {
      p[i] = std::fma(-0.25f, std::fma(0.5f, p[i], std::sqrt(2.0f) * x[i]), p[i]);
    }
  }
  EXPECT_EQ(moved.momentum, u);
  EXPECT_EQ(moved.weights, p);
}

TEST(Muon, HasNoStateWithoutMomentum) { EXPECT_EQ(TwoSteps({.lr = 0.25f}, {3, 4}, 1.0f).momentum, Elements(12)); }

/// A piece moves as it does in the whole.
TEST(Muon, MovesPiecesAsTheWhole) {
  const MatrixShape shape{4, 5};
  const HyperParameters h{.lr = 0.1f, .weight_decay = 0.1f};
  const Elements x = Orthogonal(RandomMatrix(shape, 5), shape);
  Elements whole = RandomMatrix(shape, 6), pieces = whole, unused(20);
  const auto move = [&](Elements& p, int64_t begin, int64_t end) {
    MuonUpdate(HostOps(), OptimizerKind::kMuon, h, shape, {p.data() + begin, unused.data() + begin, nullptr},
               x.data() + begin, end - begin);
  };
  move(whole, 0, 20);
  move(pieces, 0, 7);
  move(pieces, 7, 20);
  EXPECT_EQ(whole, pieces);
}

}  // namespace
}  // namespace zerocts
