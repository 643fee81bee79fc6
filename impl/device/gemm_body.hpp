// Matrix products by teams of threads (team.hpp): a team makes a tile of c, a thread 8 x 8 elements of it, each one fma
// chain in k order. a and b come through the team's room, a few k at a time; while those are multiplied, the next are
// on their way.
#pragma once
#include <utility>

#include "impl/device/team.hpp"
#include "reference/ops/gemm.hpp"

namespace zerocts::engine::bodies {

/// What neighbours in memory are: of one line (row of a, column of b) and neighbours in k, or the same k of two lines.
enum class Along : bool { kLines, kK };

struct GemmTile {
  static constexpr int kTile = 128, kDepth = 8, kSide = 16, kThreads = kSide * kSide, kPerThread = kTile / kSide;
  static constexpr int kTeamsTogether = 2;  // one multiplies while the other one waits

  /// Four lines, read at once.
  struct alignas(16) Quad {
    float of[4];
  };
  /// Four lines more, so that the same line of different k is in different banks of shared memory.
  struct alignas(16) Lines {
    float at[kDepth][kTile + 4];
    ZEROCTS_INLINE Quad Read(int k, int quad) const {
      Quad four;
      __builtin_memcpy(&four, __builtin_assume_aligned(&at[k][quad * 4], sizeof four), sizeof four);
      return four;
    }
  };
  struct Part {
    Lines a, b;
  };
};

/// What a thread brings to the room of one operand.
template <Along kAlong>
struct GemmReads : GemmTile {
  static constexpr int kReads = kTile * kDepth / kThreads;
  static constexpr int kHop = kThreads / kTile;  // of k, from one read to the next
  static constexpr int kLines = kAlong == Along::kK ? kReads : 1;
  const float* lines[kLines];  // at the first k; the others are that far from it
  float read[kReads];

  /// Neighbouring threads read neighbours in memory.
  ZEROCTS_INLINE static int K(int n, int thread) {
    return kAlong == Along::kK ? thread % kDepth : n * kHop + thread / kTile;
  }
  ZEROCTS_INLINE static int Line(int n, int thread) {
    return kAlong == Along::kK ? n * (kThreads / kDepth) + thread / kDepth : thread % kTile;
  }

  /// Lines from `first` on, whose first k it reads, as far as there are `depth`. In place of a line beyond `count`,
  /// whose products nobody keeps, it reads the last one.
  ZEROCTS_INLINE void Begin(const float* values, int64_t line_stride, int64_t k_stride, int64_t first, int64_t count,
                            int64_t depth, int thread) {
    for (int n = 0; n < kLines; ++n) {
      const int64_t line = first + Line(n, thread);
      lines[n] = values + (line < count ? line : count - 1) * line_stride + K(0, thread) * k_stride;
    }
    for (int n = 0; n < kReads; ++n) read[n] = K(n, thread) < depth ? *At(n, k_stride) : 0.0f;
  }

  ZEROCTS_INLINE void Read(int64_t advance, int64_t k_stride) {
    for (const float*& line : lines) line += advance * k_stride;
    for (int n = 0; n < kReads; ++n) read[n] = *At(n, k_stride);
  }

  ZEROCTS_INLINE void Store(Lines& part, int thread) const {
    for (int n = 0; n < kReads; ++n) part.at[K(n, thread)][Line(n, thread)] = read[n];
  }

 private:
  ZEROCTS_INLINE const float* At(int n, int64_t k_stride) const {
    return kAlong == Along::kK ? lines[n] : lines[0] + n * kHop * k_stride;
  }
};

/// c[M, N] = a[M, K] b[K, N]. Tiles are numbered row by row.
template <Along kA, Along kB>
struct Gemm : GemmTile {
  struct Room {
    Part parts[2];
  };
  struct Mine {
    GemmReads<kA> a;
    GemmReads<kB> b;
    float sums[kPerThread][kPerThread];
  };
  Matrix c;
  ConstMatrix a, b;
  int64_t M, N, K;

  ZEROCTS_INLINE static int64_t TilesAlong(int64_t numel) { return (numel + kTile - 1) / kTile; }
  int64_t tiles() const { return TilesAlong(M) * TilesAlong(N); }

  template <typename Team>
  ZEROCTS_INLINE void operator()(const Team& team, int64_t tile, Room& room) const {
    const int64_t across = TilesAlong(N), row = tile / across * kTile, column = tile % across * kTile;
    typename Team::template Private<Mine> mine;
    team.Each([&](int thread) {
      Mine& my = mine[thread];
      my.a.Begin(a.values, LineStride(a, kA), KStride(a, kA), row, M, K, thread);
      my.b.Begin(b.values, LineStride(b, kB), KStride(b, kB), column, N, K, thread);
      for (auto& line : my.sums) {
        for (float& sum : line) sum = 0.0f;
      }
      Store(my, room.parts[0], thread);
    });
    int64_t left = K;
    for (; left >= 3 * kDepth; left -= 2 * kDepth) {  // whole parts after each: constants in place of addresses
      MultiplyPart(team, room, mine, 0, kDepth);
      MultiplyPart(team, room, mine, 1, kDepth);
    }
    // The last kDepth k are read again where fewer are left.
    int now = 0;
    for (; left >= kDepth; left -= kDepth, now = 1 - now) {
      MultiplyPart(team, room, mine, now, left < 2 * kDepth ? left - kDepth : kDepth);
    }
    // Terms beyond K are left out, not zero: a zero would turn a sum of -0 into +0.
    const int end = static_cast<int>(K < kDepth ? K : kDepth);
    team.Each([&](int thread) {
      const bool has_elements = row + Line(0, QuadRow(thread)) < M && column + Line(0, QuadColumn(thread)) < N;
      if (!has_elements) return;  // beyond the last row or column of c
      Mine& my = mine[thread];
      for (int k = end - static_cast<int>(left); k < end; ++k) Multiply(my.sums, room.parts[now], k, thread);
      for (int y = 0; y < kPerThread; ++y) {
        for (int x = 0; x < kPerThread; ++x) {
          const int64_t i = row + Line(y, QuadRow(thread)), j = column + Line(x, QuadColumn(thread));
          if (i < M && j < N) c.values[i * c.stride + j] = my.sums[y][x];
        }
      }
    });
  }

 private:
  ZEROCTS_INLINE static int64_t LineStride(const ConstMatrix& m, Along along) {
    return along == Along::kK ? m.stride : 1;
  }
  ZEROCTS_INLINE static int64_t KStride(const ConstMatrix& m, Along along) { return along == Along::kK ? 1 : m.stride; }

  ZEROCTS_INLINE static void Store(const Mine& my, Part& part, int thread) {
    my.a.Store(part.a, thread);
    my.b.Store(part.b, thread);
  }

  /// Multiplies what the room holds in `now`, and reads what is `advance` further for the other part.
  template <typename Team>
  ZEROCTS_INLINE void MultiplyPart(const Team& team, Room& room, typename Team::template Private<Mine>& mine, int now,
                                   int64_t advance) const {
    team.Each([&](int thread) {
      Mine& my = mine[thread];
      my.a.Read(advance, KStride(a, kA));
      my.b.Read(advance, KStride(b, kB));
      MultiplyAll(my.sums, room.parts[now], thread, std::make_integer_sequence<int, kDepth>());
      Store(my, room.parts[1 - now], thread);
    });
  }

  /// A warp has 8 rows of threads and 4 columns. Of 16 neighbours each thread reads the same quad of a as the one
  /// beside it and the same quad of b as the one after that: then shared memory serves all 16 at once, not 8.
  ZEROCTS_INLINE static int QuadRow(int thread) { return thread / 32 % 2 * 8 + thread / 2 % 8; }
  ZEROCTS_INLINE static int QuadColumn(int thread) { return thread / 64 * 4 + thread / 16 % 2 * 2 + thread % 2; }
  ZEROCTS_INLINE static int Line(int n, int quad) { return (n / 4 * kSide + quad) * 4 + n % 4; }

  /// Written out for each k, so that loads for one stand among the fmas of another.
  template <int... k>
  ZEROCTS_INLINE static void MultiplyAll(float (&sums)[kPerThread][kPerThread], const Part& part, int thread,
                                         std::integer_sequence<int, k...>) {
    (Multiply(sums, part, k, thread), ...);
  }

  ZEROCTS_INLINE static void Multiply(float (&sums)[kPerThread][kPerThread], const Part& part, int k, int thread) {
    Quad left[kPerThread / 4], right[kPerThread / 4];
    for (int q = 0; q < kPerThread / 4; ++q) {
      left[q] = part.a.Read(k, q * kSide + QuadRow(thread));
      right[q] = part.b.Read(k, q * kSide + QuadColumn(thread));
    }
    for (int y = 0; y < kPerThread; ++y) {
      for (int x = 0; x < kPerThread; ++x)
        sums[y][x] = formulas::Fma(left[y / 4].of[y % 4], right[x / 4].of[x % 4], sums[y][x]);
    }
  }
};

}  // namespace zerocts::engine::bodies
