// Kernels for AVX2 and FMA; compiled with its own flags (CMakeLists.txt).
#define ZEROCTS_KERNEL_TABLE kX86_64V3Kernels
#define ZEROCTS_KERNEL_NAME "x86-64-v3"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {
constexpr int kTileRows = 6, kTileColumns = 16;  // 12 of 16 registers of 8 floats
}  // namespace
}  // namespace zerocts

#include "reference/ops/kernels_body.inc"
