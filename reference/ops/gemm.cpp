// Blocks of a matrix product. Blocks of k follow each other in k order and c is reloaded exactly between them, so blocking
// changes no chain: b is packed block by block, a for the second cache, and tiles run down the rows of one panel of b.
#include "reference/ops/gemm.hpp"

#include <algorithm>
#include <vector>

namespace zerocts {
namespace {

constexpr int64_t kBlockWords = 384;      // k: a panel of b stays in the first cache
constexpr int64_t kBlockTiles = 32;       // tiles below each other: a block of a stays in the second cache
constexpr int64_t kBlockColumns = 1024;   // a block of b
constexpr int64_t kDirectTiles = 3;       // so few tiles below each other read b where it stands
constexpr int64_t kPieceFmas = 1 << 20;   // less work than this is not worth a second thread
constexpr int64_t kLargestTile = 14 * 32;

int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t RoundUp(int64_t a, int64_t b) { return DivideUp(a, b) * b; }

/// How far apart blocks begin when `total` is cut into equal ones of at most `most`.
int64_t EvenStep(int64_t total, int64_t most) { return total > 0 ? DivideUp(total, DivideUp(total, most)) : most; }

struct alignas(64) Line {
  float words[16];
};

/// At least `words` words of this thread. They stay allocated: the next product needs as much.
float* Grown(std::vector<Line>& lines, int64_t words) {
  const auto count = static_cast<size_t>(DivideUp(words, 16));
  if (lines.size() < count) lines.resize(count);
  return lines.data()->words;
}

class Product {
 public:
  Product(const GemmKernels& kernels, Matrix c, Strided a, Strided b, int64_t M, int64_t N, int64_t K)
      : kernels_(kernels), c_(c), a_(a), b_(b), M_(M), N_(N), K_(K) {}

  /// False: an operand holds exponents so small that these kernels do not give the chain; c is then unfinished.
  bool Compute() {
    const int64_t step = RoundUp(EvenStep(K_, kBlockWords * kernels_.elements_per_word), kernels_.elements_per_word);
    for (int64_t begin = 0; begin < N_; begin += kBlockColumns) {
      const int64_t columns = std::min(kBlockColumns, N_ - begin);
      for (int64_t k = 0; k == 0 || k < K_; k += step) {
        if (!ComputeBlock(begin, columns, k, std::min(step, K_ - k))) return false;
      }
    }
    return true;
  }

 private:
  /// Words [words, width] of b for a panel of c.
  struct Panel {
    const float* words;
    int64_t stride, column, columns, width;
  };

  bool ComputeBlock(int64_t begin, int64_t columns, int64_t k, int64_t depth) {
    const int64_t words = DivideUp(depth, kernels_.elements_per_word);
    const int64_t b_exponent = PackB(begin, columns, k, depth, words);
    const int64_t tile_rows = EvenStep(M_, kernels_.rows);
    for (int64_t row = 0; row < M_; row += tile_rows * kBlockTiles) {
      const int64_t rows = std::min(tile_rows * kBlockTiles, M_ - row);
      const int64_t a_exponent = PackA(row, rows, tile_rows, k, depth, words);
      if (a_exponent + b_exponent < kernels_.exponent_floor) return false;
      for (const Panel& panel : panels_) ComputePanel(panel, row, rows, tile_rows, words, k > 0);
    }
    return true;
  }

  int64_t PackB(int64_t begin, int64_t columns, int64_t k, int64_t depth, int64_t words) {
    static thread_local std::vector<Line> scratch;
    const bool k_is_dense = b_.column_stride != 1;
    const bool direct = !k_is_dense && kernels_.elements_per_word == 1 && M_ <= kDirectTiles * kernels_.rows;
    float* out = nullptr;
    int64_t exponent = 255;
    panels_.clear();
    for (int64_t j = 0; j < columns;) {
      const int64_t present = std::min(kernels_.columns, columns - j);
      const int64_t width = present <= kernels_.narrow_columns ? kernels_.narrow_columns : kernels_.columns;
      const float* in = b_.values + k * b_.row_stride + (begin + j) * b_.column_stride;
      if (direct && present == width) {
        panels_.push_back({in, b_.row_stride, begin + j, present, width});
      } else {
        if (out == nullptr) out = Grown(scratch, words * RoundUp(columns - j, kernels_.narrow_columns) + kernels_.columns * words);
        exponent = std::min(exponent, k_is_dense ? kernels_.pack_panel_transposed(out, width, in, b_.column_stride, present, depth)
                                                 : kernels_.pack_panel(out, width, in, b_.row_stride, present, depth));
        panels_.push_back({out, width, begin + j, present, width});
        out += width * words;
      }
      j += present;
    }
    return exponent;
  }

  int64_t PackA(int64_t begin, int64_t rows, int64_t tile_rows, int64_t k, int64_t depth, int64_t words) {
    static thread_local std::vector<Line> scratch;
    const bool k_is_dense = a_.column_stride == 1;
    a_tile_words_ = RoundUp(words, GemmKernels::kChunk) * kernels_.rows;
    float* out = Grown(scratch, a_tile_words_ * DivideUp(rows, tile_rows) + GemmKernels::kChunk);
    a_words_ = out;
    int64_t exponent = 255;
    for (int64_t i = 0; i < rows; i += tile_rows, out += a_tile_words_) {
      const float* in = a_.values + (begin + i) * a_.row_stride + k * a_.column_stride;
      const int64_t present = std::min(tile_rows, rows - i);
      exponent = std::min(exponent, k_is_dense ? kernels_.pack_rows(out, in, a_.row_stride, present, depth)
                                               : kernels_.pack_columns(out, in, a_.column_stride, present, depth));
    }
    return exponent;
  }

  void ComputePanel(const Panel& panel, int64_t begin, int64_t rows, int64_t tile_rows, int64_t words, bool accumulate) {
    const bool narrow = panel.width == kernels_.narrow_columns;
    const auto& tiles = a_.column_stride == 1 ? kernels_.row_major[narrow] : kernels_.k_major[narrow];
    const float* a = a_words_;
    for (int64_t i = 0; i < rows; i += tile_rows, a += a_tile_words_) {
      const int64_t present = std::min(tile_rows, rows - i);
      float* c = c_.values + (begin + i) * c_.stride + panel.column;
      if (panel.columns == panel.width) {
        tiles[present - 1](c, c_.stride, a, panel.words, panel.stride, words, accumulate);
      } else {
        ComputeEdge(tiles[present - 1], panel, c, present, a, words, accumulate);
      }
    }
  }

  /// A tile wider than what is left of c.
  void ComputeEdge(GemmKernels::Tile tile, const Panel& panel, float* c, int64_t rows, const float* a, int64_t words,
                   bool accumulate) {
    float sums[kLargestTile];
    for (int64_t i = 0; accumulate && i < rows; ++i) {
      std::fill(std::copy_n(c + i * c_.stride, panel.columns, sums + i * panel.width), sums + (i + 1) * panel.width, 0.0f);
    }
    tile(sums, panel.width, a, panel.words, panel.stride, words, accumulate);
    for (int64_t i = 0; i < rows; ++i) std::copy_n(sums + i * panel.width, panel.columns, c + i * c_.stride);
  }

  const GemmKernels& kernels_;
  Matrix c_;
  Strided a_, b_;
  int64_t M_, N_, K_;
  std::vector<Panel> panels_;
  const float* a_words_ = nullptr;
  int64_t a_tile_words_ = 0;
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
