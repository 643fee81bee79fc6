// Kernels for AVX-512; compiled with its own flags (CMakeLists.txt).
#define ZEROCTS_KERNEL_TABLE kX86_64V4Kernels
#define ZEROCTS_KERNEL_NAME "x86-64-v4"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {
constexpr int kTileRows = 12, kTileColumns = 32;  // 24 of 32 registers of 16 floats
}  // namespace
}  // namespace zerocts

#include "reference/ops/kernels_body.inc"
