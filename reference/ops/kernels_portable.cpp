// Kernels for every CPU of the build's target; without FMA instructions fma is libm's: slow, with equal bits.
#define ZEROCTS_KERNEL_TABLE kPortableKernels
#define ZEROCTS_KERNEL_NAME "portable"
#include "reference/numerics/contraction_probe.hpp"
#include "reference/ops/formulas.hpp"
#include "reference/ops/kernel_table.hpp"

namespace zerocts {
namespace {
constexpr int kTileRows = 4, kTileColumns = 8;  // fits 16 registers of 4 floats
}  // namespace
}  // namespace zerocts

#include "reference/ops/kernels_body.inc"
