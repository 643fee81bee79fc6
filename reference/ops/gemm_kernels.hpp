// The part of a matrix product that depends on the instruction set: tiles of c in registers, and packing for them.
//
// A word is what one lane multiplies at once: an fp32 element, or two bf16 elements with the earlier k in the upper
// half. Along k a row of a is cut into chunks of kChunk words, so that a tile reads one stream of memory. A packing
// function returns the smallest biased exponent of the elements that are not zero (255 without any, kSubnormal when one
// is subnormal), if these kernels ask for one.
#pragma once
#include <cstdint>

namespace zerocts {

struct GemmKernels {
  static constexpr int64_t kChunk = 16, kMostRows = 14;
  static constexpr int64_t kSubnormal = -255;  // with no exponent it adds up to a floor

  int64_t rows, columns;      // the largest tile
  int64_t narrow_columns;     // of the tiles for what remains of a row of c
  int64_t elements_per_word;  // 1, or 2 for pairs
  int64_t exponent_floor;     // these kernels give the chain of fmas when smallest exponents of a and b add up to it

  /// c[rows, columns] = a b, or c continued when `accumulate`: chains over `words` in k order. Row k of b stands at
  /// k * b_stride.
  using Tile = void (*)(float* c, int64_t c_stride, const float* a, int64_t a_stride, const float* b, int64_t b_stride,
                        int64_t words, bool accumulate);
  Tile row_chunks[2][kMostRows];     // [narrow][rows - 1]; a as pack_rows packs it
  Tile rows_in_place[2][kMostRows];  // word (row, k) of a at row * a_stride + k; none where words are pairs
  Tile k_major[2][kMostRows];        // word (row, k) of a at k * a_stride + row

  /// a[rows, K] to chunks [rows of the largest tile, kChunk]; whole chunks are written.
  int64_t (*pack_rows)(float* out, const float* in, int64_t stride, int64_t rows, int64_t K);
  /// a[K, rows] to tiles of tile_rows, tile_words apart, each of words [k, rows of the largest tile]; up to kChunk
  /// words behind each are overwritten.
  int64_t (*pack_columns)(float* out, int64_t tile_words, const float* in, int64_t stride, int64_t tile_rows,
                          int64_t rows, int64_t K);
  /// b[K, columns] to words [k, width], and b[columns, K] to the same.
  int64_t (*pack_panel)(float* out, int64_t width, const float* in, int64_t stride, int64_t columns, int64_t K);
  int64_t (*pack_panel_transposed)(float* out, int64_t width, const float* in, int64_t stride, int64_t columns,
                                   int64_t K);
};

}  // namespace zerocts
