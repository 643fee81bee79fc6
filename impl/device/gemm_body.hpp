// Matrix products by teams of threads (team.hpp): a team makes a tile of c, a thread 8 x 8 elements of it, each one fma
// chain in k order. a and b come through the team's room, a few k at a time.
#pragma once
#include "impl/device/team.hpp"
#include "reference/ops/gemm.hpp"

namespace zerocts::engine::bodies {

/// c[M, N] = a[M, K] b[K, N]. Tiles are numbered row by row.
struct Gemm {
  static constexpr int kTile = 128, kDepth = 8, kSide = 16, kPerSide = kTile / kSide;
  static constexpr int kThreads = kSide * kSide;
  struct Room {
    float a[kDepth][kTile], b[kDepth][kTile];
  };
  struct Sums {
    float of[kPerSide][kPerSide];
  };
  Matrix c;
  Strided a, b;
  int64_t M, N, K;

  static int64_t TilesAlong(int64_t numel) { return (numel + kTile - 1) / kTile; }
  int64_t tiles() const { return TilesAlong(M) * TilesAlong(N); }

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t tile, Room& room) const {
    const int64_t across = (N + kTile - 1) / kTile, row = tile / across * kTile, column = tile % across * kTile;
    typename Team::template Private<Sums> sums;
    team.Each([&](int thread) {
      for (auto& line : sums[thread].of) {
        for (float& sum : line) sum = 0.0f;
      }
    });
    for (int64_t k = 0; k < K; k += kDepth) {
      const int depth = static_cast<int>(K - k < kDepth ? K - k : kDepth);
      team.Each([&](int thread) {
        Load(room.a, a.values, a.row_stride, a.column_stride, row, M, k, depth, thread);
        Load(room.b, b.values, b.column_stride, b.row_stride, column, N, k, depth, thread);
      });
      team.Each([&](int thread) { Multiply(sums[thread], room, depth, thread); });
    }
    team.Each([&](int thread) {
      for (int y = 0; y < kPerSide; ++y) {
        for (int x = 0; x < kPerSide; ++x) {
          const int64_t i = row + thread / kSide + y * kSide, j = column + thread % kSide + x * kSide;
          if (i < M && j < N) c.values[i * c.stride + j] = sums[thread].of[y][x];
        }
      }
    });
  }

 private:
  /// part[k][i] for k < depth: element (first + i, k0 + k) of `numel` lines, 0 beyond them. Neighbouring threads read
  /// neighbours in memory.
  ZEROCTS_INLINE static void Load(float (&part)[kDepth][kTile], const float* values, int64_t line_stride,
                                  int64_t k_stride, int64_t first, int64_t numel, int64_t k0, int depth, int thread) {
    for (int n = thread; n < kDepth * kTile; n += kThreads) {
      const int k = k_stride == 1 ? n % kDepth : n / kTile, i = k_stride == 1 ? n / kDepth : n % kTile;
      if (k >= depth) continue;
      part[k][i] = first + i < numel ? values[(first + i) * line_stride + (k0 + k) * k_stride] : 0.0f;
    }
  }

  /// Terms beyond K are left out, not zero: a zero would turn a sum of -0 into +0.
  ZEROCTS_INLINE static void Multiply(Sums& sums, const Room& room, int depth, int thread) {
    for (int k = 0; k < depth; ++k) {
      float left[kPerSide], right[kPerSide];
      for (int y = 0; y < kPerSide; ++y) left[y] = room.a[k][thread / kSide + y * kSide];
      for (int x = 0; x < kPerSide; ++x) right[x] = room.b[k][thread % kSide + x * kSide];
      for (int y = 0; y < kPerSide; ++y) {
        for (int x = 0; x < kPerSide; ++x) sums.of[y][x] = formulas::Fma(left[y], right[x], sums.of[y][x]);
      }
    }
  }
};

}  // namespace zerocts::engine::bodies
