// Blocks of a matrix product. Blocks of k follow each other in k order and c is reloaded exactly between them, so
// blocking changes no chain. b is packed block by block, a by a few tiles, and the tiles of c run along its rows:
// neighbours in memory.
#include "reference/ops/gemm.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace zerocts {
namespace {

constexpr int64_t kBlockWords = 384;  // a tile of a is 21 KiB of the first cache, and is used for all panels of b
constexpr int64_t kMostTiles = 8;     // of a transposed a, packed at once: lines of its rows are read whole
constexpr int64_t kMostBlockColumns = 768, kFewerBlockColumns = 512;
constexpr int64_t kDirectTiles =
    3;  // so few tiles below (beside) each other read b (a) where it stands, if it stands well
constexpr int64_t kDirectStride = 512;  // words; farther apart, rows of a that are read side by side evict each other
constexpr int64_t kDirectWords = 1 << 16;  // of b, which all tiles read: a part of the second cache
constexpr int64_t kPieceFmas = 1 << 19;    // less work than this is not worth a second thread
constexpr int64_t kNoExponent = 255;       // of nothing but zeros
constexpr int64_t kLargestTile = 14 * 32, kSmallestTileColumns = 8;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return DivideUp(a, b) * b; }

/// How far apart blocks begin when `total` is cut into equal ones of at most `most`.
int64_t EvenStep(int64_t total, int64_t most) { return total > 0 ? DivideUp(total, DivideUp(total, most)) : most; }

/// A block of b takes half of the second cache or more: 1.1 of 2 MiB, 768 KiB of a smaller one.
int64_t BlockColumns() {
  static const bool is_large = sysconf(_SC_LEVEL2_CACHE_SIZE) >= 2 << 20;
  return is_large ? kMostBlockColumns : kFewerBlockColumns;
}

struct alignas(64) Line {
  float words[16];
};

enum ScratchUse { kScratchA, kScratchB };

/// At least `words` words of this thread. They stay allocated: the next product needs as much.
float* Scratch(ScratchUse use, int64_t words) {
  static thread_local std::vector<Line> scratch[2];
  std::vector<Line>& lines = scratch[use];
  const auto count = static_cast<size_t>(DivideUp(words, 16));
  if (lines.size() < count) lines.resize(count);
  return lines.data()->words;
}

/// One product by one thread.
class Product {
 public:
  Product(const GemmKernels& kernels, Matrix c, Strided a, Strided b, int64_t M, int64_t N, int64_t K)
      : kernels_(kernels), c_(c), a_(a), b_(b), M_(M), N_(N), K_(K), tile_rows_(EvenStep(M, kernels.rows)) {}

  /// False: an operand holds exponents so small that these kernels do not give the chain; c is then unfinished.
  bool Compute() {
    const int64_t columns = RoundUp(EvenStep(N_, BlockColumns()), kernels_.columns);
    const int64_t depth = RoundUp(EvenStep(K_, kBlockWords * kernels_.elements_per_word), kernels_.elements_per_word);
    for (int64_t j = 0; j < N_; j += columns) {
      for (int64_t k = 0; k == 0 || k < K_; k += depth) {
        if (!ComputeBlock({j, std::min(columns, N_ - j), k, std::min(depth, K_ - k)})) return false;
      }
    }
    return true;
  }

 private:
  /// Columns of c, and the part of their chains.
  struct Block {
    int64_t column, columns, k, depth;
  };

  /// Words [words, width] of b for `columns` columns of c.
  struct Panel {
    const float* words;
    int64_t stride, column, columns, width;
  };

  /// Words of a for a few rows of c.
  struct Tile {
    const float* words;
    int64_t stride, row, rows;
  };

  bool ComputeBlock(const Block& block) {
    const int64_t words = DivideUp(block.depth, kernels_.elements_per_word);
    const int64_t b_exponent = PackB(block, words);
    for (int64_t row = 0; row < M_; row += PackedRows()) {
      if (PackA(block, words, row) + b_exponent < kernels_.exponent_floor) return false;
      for (int64_t t = 0; t < tile_count_; ++t) ComputeRow(block, tiles_[t], words);
    }
    return true;
  }

  /// A tile of a and all panels.
  void ComputeRow(const Block& block, const Tile& tile, int64_t words) {
    for (int64_t p = 0; p < panel_count_; ++p) {
      if (KIsDenseInA()) FetchRows(block, tile.row + tile_rows_, p);
      ComputeTile(panels_[p], tile, words, block.k > 0);
    }
  }

  bool KIsDenseInA() const { return a_.column_stride == 1; }
  bool KIsDenseInB() const { return b_.column_stride != 1; }

  int64_t PackedRows() const { return KIsDenseInA() ? tile_rows_ : kMostTiles * tile_rows_; }

  /// Packing it would cost more than it brings: few panels read it, and the first cache has room for it.
  bool AStandsWell() const {
    const bool has_room = !KIsDenseInA() || a_.row_stride < kDirectStride;
    return N_ <= kDirectTiles * kernels_.columns && has_room && kernels_.elements_per_word == 1;
  }

  int64_t PackA(const Block& block, int64_t words, int64_t row) {
    const int64_t rows = std::min(PackedRows(), M_ - row);
    const float* in = a_.values + row * a_.row_stride + block.k * a_.column_stride;
    if (AStandsWell()) {
      CutTiles({in, KIsDenseInA() ? a_.row_stride : a_.column_stride, row, rows}, tile_rows_ * a_.row_stride);
      return kNoExponent;
    }
    const int64_t tile_words = RoundUp(words, GemmKernels::kChunk) * kernels_.rows + GemmKernels::kChunk;
    float* out = Scratch(kScratchA, DivideUp(rows, tile_rows_) * tile_words);
    CutTiles({out, kernels_.rows, row, rows}, tile_words);
    return KIsDenseInA() ? kernels_.pack_rows(out, in, a_.row_stride, rows, block.depth)
                         : kernels_.pack_columns(out, tile_words, in, a_.column_stride, tile_rows_, rows, block.depth);
  }

  /// Brings some of the rows that are packed next to the second cache; after all panels all of them.
  void FetchRows(const Block& block, int64_t row, int64_t panel) const {
    const int64_t end = std::min(row + tile_rows_, M_);
    for (int64_t i = row + panel; i < end; i += panel_count_) {
      const float* in = a_.values + i * a_.row_stride + block.k;
      for (int64_t k = 0; k < block.depth; k += 16) __builtin_prefetch(in + k, 0, 2);
    }
  }

  /// tiles_ of the rows of `all`, each `step` words after the one before.
  void CutTiles(const Tile& all, int64_t step) {
    tile_count_ = 0;
    for (int64_t i = 0; i < all.rows; i += tile_rows_) {
      tiles_[tile_count_] = {all.words + tile_count_ * step, all.stride, all.row + i,
                             std::min(tile_rows_, all.rows - i)};
      ++tile_count_;
    }
  }

  /// Packing it would cost more than it brings: few tiles read it, or it is in the caches and as aligned as if packed.
  bool BStandsWell(const Block& block) const {
    const auto address = reinterpret_cast<uintptr_t>(b_.values);
    const bool is_aligned = address % sizeof(Line) == 0 && b_.row_stride * sizeof(float) % sizeof(Line) == 0;
    const bool is_small = block.depth * block.columns <= kDirectWords;
    return M_ <= kDirectTiles * kernels_.rows || (is_aligned && is_small);
  }

  int64_t PackB(const Block& block, int64_t words) {
    const bool direct = BStandsWell(block) && !KIsDenseInB() && kernels_.elements_per_word == 1;
    float* out = Scratch(kScratchB, words * RoundUp(block.columns, kernels_.narrow_columns));
    int64_t exponent = kNoExponent;
    panel_count_ = 0;
    for (int64_t j = 0; j < block.columns; j += kernels_.columns) {
      const int64_t columns = std::min(kernels_.columns, block.columns - j);
      const int64_t width = columns <= kernels_.narrow_columns ? kernels_.narrow_columns : kernels_.columns;
      const float* in = b_.values + block.k * b_.row_stride + (block.column + j) * b_.column_stride;
      Panel& panel = panels_[panel_count_++] = {out, width, block.column + j, columns, width};
      if (direct && columns == width) {
        panel.words = in;
        panel.stride = b_.row_stride;
        continue;
      }
      exponent = std::min(exponent,
                          KIsDenseInB()
                              ? kernels_.pack_panel_transposed(out, width, in, b_.column_stride, columns, block.depth)
                              : kernels_.pack_panel(out, width, in, b_.row_stride, columns, block.depth));
      out += width * words;
    }
    return exponent;
  }

  const auto& Tiles() const {
    if (!KIsDenseInA()) return kernels_.k_major;
    return AStandsWell() ? kernels_.rows_in_place : kernels_.row_chunks;
  }

  void ComputeTile(const Panel& panel, const Tile& tile, int64_t words, bool accumulate) {
    const bool narrow = panel.width == kernels_.narrow_columns;
    const auto multiply = Tiles()[narrow][tile.rows - 1];
    float* c = c_.values + tile.row * c_.stride + panel.column;
    if (panel.columns == panel.width) {
      multiply(c, c_.stride, tile.words, tile.stride, panel.words, panel.stride, words, accumulate);
      return;
    }
    float sums[kLargestTile] = {};  // as wide as the panel: c ends before
    for (int64_t i = 0; accumulate && i < tile.rows; ++i) {
      std::copy_n(c + i * c_.stride, panel.columns, sums + i * panel.width);
    }
    multiply(sums, panel.width, tile.words, tile.stride, panel.words, panel.stride, words, accumulate);
    for (int64_t i = 0; i < tile.rows; ++i) std::copy_n(sums + i * panel.width, panel.columns, c + i * c_.stride);
  }

  const GemmKernels& kernels_;
  const Matrix c_;
  const Strided a_, b_;
  const int64_t M_, N_, K_, tile_rows_;
  Panel panels_[kMostBlockColumns / kSmallestTileColumns];
  int64_t panel_count_ = 0;
  Tile tiles_[kMostTiles];
  int64_t tile_count_ = 0;
};

void ComputePiece(const KernelTable& kernels, Matrix c, Strided a, Strided b, int64_t M, int64_t N, int64_t K,
                  Operands operands) {
  const bool in_pairs = operands == Operands::kBf16 && kernels.gemm_pairs != nullptr;
  if (in_pairs && Product(*kernels.gemm_pairs, c, a, b, M, N, K).Compute()) return;
  Product(*kernels.gemm, c, a, b, M, N, K).Compute();
}

/// c is cut into a grid of pieces, rows x columns = count, each packing its own operands: as square as can be.
struct Grid {
  int64_t row_step, column_step, columns, count;
};

Grid CutInPieces(const GemmKernels& kernels, int64_t M, int64_t N, int64_t count) {
  Grid best{};
  int64_t least = INT64_MAX;
  for (int64_t rows = 1; rows <= count; ++rows) {
    if (count % rows != 0) continue;
    const int64_t row_step = RoundUp(DivideUp(M, rows), kernels.rows);
    const int64_t column_step = RoundUp(DivideUp(N, count / rows), kernels.columns);
    const int64_t cost = row_step * column_step + 16 * (row_step + column_step);  // fmas and packing per k
    if (cost >= least) continue;
    least = cost;
    best = {row_step, column_step, DivideUp(N, column_step), DivideUp(M, row_step) * DivideUp(N, column_step)};
  }
  return best;
}

}  // namespace

void Gemm(const KernelTable& kernels, Threads& threads, Matrix c, Strided a, Strided b, int64_t M, int64_t N, int64_t K,
          Operands operands) {
  if (M == 0 || N == 0) return;
  if (threads.count() == 1 || M * N * std::max<int64_t>(K, 1) < kPieceFmas) {
    ComputePiece(kernels, c, a, b, M, N, K, operands);
    return;
  }
  const Grid grid = CutInPieces(*kernels.gemm, M, N, threads.count());
  threads.ForEach(grid.count, [&](int64_t piece) {
    const int64_t row = piece / grid.columns * grid.row_step, column = piece % grid.columns * grid.column_step;
    ComputePiece(kernels, {c.values + row * c.stride + column, c.stride},
                 {a.values + row * a.row_stride, a.row_stride, a.column_stride},
                 {b.values + column * b.column_stride, b.row_stride, b.column_stride}, std::min(grid.row_step, M - row),
                 std::min(grid.column_step, N - column), K, operands);
  });
}

}  // namespace zerocts
