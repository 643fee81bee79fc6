// The operations of reference/ops on a Grid, something that runs bodies: a CUDA stream (cuda/ops.cu), or, in a test,
// loops of the host. This half: memory, casts, sums, optimizers.
//
//   grid.ForEach(numel, body);             body(i) for i = 0 .. numel - 1
//   grid.Map(out, numel, body);            out[i] = body(i), for the same i (map_group.hpp)
//   grid.Teams(count, body);               body(team, n, room) for teams n = 0 .. count - 1 (team.hpp)
//   grid.Copy(out, in, bytes);
//   typename Grid::Scratch s(grid, numel)  floats that live until s ends, for what is enqueued before that: s.values()
#pragma once
#include <algorithm>

#include "impl/device/elementwise_bodies.hpp"
#include "impl/device/exact_sum_bodies.hpp"
#include "impl/device/fold_program.hpp"
#include "impl/device/map_group.hpp"

namespace zerocts::engine {

template <typename Grid>
class GridElementwiseOps : public Ops {
 public:
  explicit GridElementwiseOps(Grid grid) : grid_(std::move(grid)) {}

  void Copy(void* out, const void* in, int64_t bytes) override { grid_.Copy(out, in, bytes); }
  void Fill(float* out, float value, int64_t numel) override { grid_.Map(out, numel, bodies::Fill{value}); }

  void CastToFloat(float* out, const Bf16* in, int64_t numel) override {
    grid_.Map(out, numel, bodies::CastToFloat{in});
  }
  void CastToBf16(Bf16* out, const float* in, int64_t numel) override { grid_.Map(out, numel, bodies::CastToBf16{in}); }
  void RoundToBf16(float* inout, int64_t numel) override { grid_.Map(inout, numel, bodies::RoundToBf16{inout}); }
  void Add(float* inout, const float* in, int64_t numel) override { grid_.Map(inout, numel, bodies::Add{inout, in}); }
  void Divide(float* inout, float divisor, int64_t numel) override {
    grid_.Map(inout, numel, bodies::Divide{inout, divisor});
  }
  void Scale(float* inout, float factor, int64_t numel) override {
    grid_.Map(inout, numel, bodies::Scale{inout, factor});
  }
  void Max(float* inout, const float* in, int64_t numel) override { grid_.Map(inout, numel, bodies::Max{inout, in}); }

  void FoldLeaves(float* out, const Fold& fold, std::span<const float* const> leaves, float divisor,
                  int64_t numel) override {
    grid_.Map(out, numel, bodies::FoldLeaves(fold, leaves, divisor));
  }
  void AddSquares(SumOfSquares* accumulator, const float* in, int64_t numel) override {
    constexpr int64_t kMost = bodies::kSpan * bodies::kSpansBeforeCarry;
    for (int64_t begin = 0; begin < numel; begin += kMost) {
      AddSquaresOf(accumulator, bodies::Plain{in + begin}, std::min(kMost, numel - begin));
    }
  }
  void AddMagnitudes(SumOfMagnitudes* accumulator, const float* in, int64_t numel) override {
    grid_.Teams(Spans(numel), bodies::AddMagnitudes{accumulator, in, numel});
  }

  void Sgd(const SgdScalars& s, float* master, float* momentum, const float* gradient, int64_t numel) override {
    grid_.ForEach(numel, bodies::Sgd{s, master, momentum, gradient});
  }
  void AdamW(const AdamWScalars& s, float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
             int64_t numel) override {
    grid_.ForEach(numel, bodies::AdamW{s, master, exp_avg, exp_avg_sq, gradient});
  }
  void Adam(const OptimizerFormula& f, const AdamScalars& s, float* master, float* exp_avg, float* exp_avg_sq,
            const float* gradient, int64_t numel) override {
    grid_.ForEach(numel, bodies::Adam{f, s, master, exp_avg, exp_avg_sq, gradient});
  }
  void LambMoments(const OptimizerFormula& f, const AdamScalars& s, SumOfSquares* weights, SumOfSquares* updates,
                   const float* master, float* exp_avg, float* exp_avg_sq, const float* gradient,
                   int64_t numel) override {
    constexpr int64_t kMost = bodies::kSpan * bodies::kSpansBeforeCarry;
    for (int64_t begin = 0; begin < numel; begin += kMost) {
      const bodies::LambMoments moments{f, s, master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin};
      AddSquaresOf(updates, moments, std::min(kMost, numel - begin));
    }
    AddSquares(weights, master, numel);
  }
  void LambApply(const OptimizerFormula& f, const AdamScalars& s, float step, float* master, const float* exp_avg,
                 const float* exp_avg_sq, int64_t numel) override {
    grid_.ForEach(numel, bodies::LambApply{f, s, step, master, exp_avg, exp_avg_sq});
  }
  void MomentumSgd(const OptimizerFormula& f, const MomentumScalars& s, float* master, float* momentum,
                   const float* gradient, int64_t numel) override {
    grid_.ForEach(numel, bodies::MomentumSgd{f, s, master, momentum, gradient});
  }

 protected:
  Grid grid_;

 private:
  static int64_t Spans(int64_t numel) { return (numel + bodies::kSpan - 1) / bodies::kSpan; }

  template <typename Term>
  void AddSquaresOf(SumOfSquares* accumulator, const Term& term, int64_t numel) {
    grid_.Teams(Spans(numel), bodies::AddSquares<Term>{accumulator, term, numel});
    grid_.ForEach(static_cast<int64_t>(accumulator->bins.size()), bodies::CarrySquares{accumulator});
  }
};

}  // namespace zerocts::engine
