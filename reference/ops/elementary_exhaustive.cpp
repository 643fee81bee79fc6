// Compares exp, log and tanh, as the kernels evaluate them in vectors, with the correctly rounded result for all 2^32
// inputs. A theorem decides where results are trivial, the C library's double function where it is clearly on one side
// of a rounding boundary, MPFR where it is not (about 2^-24 of the inputs).
// Exit 0 when all agree, 1 with the first differences otherwise.
//   elementary_exhaustive [KERNELS ..]    names as in ZEROCTS_KERNELS; otherwise all that have FMA instructions
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "reference/numerics/bits.hpp"
#include "reference/numerics/elementary_oracle_for_test.hpp"
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {
namespace {

// Relative; above the 2 ulp (2^-51) that a C library admits, far below half an ulp of fp32.
constexpr double kMargin = 0x1p-49;
constexpr int64_t kChunk = 1 << 14;
constexpr int64_t kChunks = (int64_t{1} << 32) / kChunk;

struct Function {
  const char* name;
  void (*LayerKernels::*ours)(float* out, const float* in, int64_t numel);
  double (*wide)(double);
  float (ElementaryOracle::*expected)(float);
  bool (*is_trivial)(float x, float* result);
};

bool ExpIsTrivial(float x, float* result) {
  if (x > 88.73f) return *result = std::numeric_limits<float>::infinity(), true;  // > ln(2^128)
  if (x < -104.0f) return *result = 0.0f, true;                                   // < ln(2^-150), half the least float
  if (std::fabs(x) < 0x1p-26f) return *result = 1.0f, true;                       // a quarter of the spacing at 1
  return false;
}

bool LogIsTrivial(float x, float* result) {
  if (x < 0.0f) return *result = std::numeric_limits<float>::quiet_NaN(), true;
  return false;
}

bool TanhIsTrivial(float x, float* result) {
  // 2 / (exp(2 x) + 1) < 2^-25, half the spacing below 1, for x > 13 ln 2 = 9.0109..
  if (std::fabs(x) > 9.02f) return *result = std::copysign(1.0f, x), true;
  if (std::fabs(x) < 0x1p-13f) return *result = x, true;  // x^2 / 3 < 2^-27 of it
  return false;
}

const Function kFunctions[] = {{"exp", &LayerKernels::exp, std::exp, &ElementaryOracle::Exp, ExpIsTrivial},
                               {"log", &LayerKernels::log, std::log, &ElementaryOracle::Log, LogIsTrivial},
                               {"tanh", &LayerKernels::tanh, std::tanh, &ElementaryOracle::Tanh, TanhIsTrivial}};

struct Counts {
  std::atomic<uint64_t> differences{0}, by_theorem{0}, by_library{0}, by_mpfr{0};
};

/// Counts of one thread, added to the shared ones chunk by chunk.
float Expected(const Function& function, ElementaryOracle& oracle, float x, uint64_t (&decided)[3]) {
  float result;
  if (function.is_trivial(x, &result)) return ++decided[0], result;
  const double y = function.wide(x);
  const auto low = static_cast<float>(y * (1.0 - kMargin)), high = static_cast<float>(y * (1.0 + kMargin));
  if (CanonicalBits(low) == CanonicalBits(high)) return ++decided[1], low;
  return ++decided[2], (oracle.*function.expected)(x);
}

void CheckChunk(const Function& function, const std::vector<const KernelTable*>& tables, ElementaryOracle& oracle,
                int64_t chunk, Counts& counts) {
  float in[kChunk], expected[kChunk], ours[kChunk];
  uint64_t decided[3] = {};
  for (int64_t i = 0; i < kChunk; ++i) {
    in[i] = FromBits(static_cast<uint32_t>(chunk * kChunk + i));
    expected[i] = Expected(function, oracle, in[i], decided);
  }
  counts.by_theorem += decided[0];
  counts.by_library += decided[1];
  counts.by_mpfr += decided[2];
  for (const KernelTable* table : tables) {
    (table->layers.*function.ours)(ours, in, kChunk);
    for (int64_t i = 0; i < kChunk; ++i) {
      if (CanonicalBits(ours[i]) == CanonicalBits(expected[i])) continue;
      if (counts.differences.fetch_add(1) >= 20) continue;
      std::printf("%s(%a) by %s: expected %a, got %a\n", function.name, in[i], table->name, expected[i], ours[i]);
    }
  }
}

bool AllAgree(const Function& function, const std::vector<const KernelTable*>& tables) {
  Counts counts;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    ElementaryOracle oracle;
    for (int64_t chunk = next++; chunk < kChunks; chunk = next++) CheckChunk(function, tables, oracle, chunk, counts);
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  threads.clear();
  const auto print = [](uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%s: %llu results differ; the expected ones are %llu by theorem, %llu by the C library, %llu by MPFR\n",
              function.name, print(counts.differences), print(counts.by_theorem), print(counts.by_library),
              print(counts.by_mpfr));
  std::fflush(stdout);
  return counts.differences == 0;
}

/// Without FMA instructions a table takes an hour (fma is a call), so the portable one runs when it is named or alone.
std::vector<const KernelTable*> Tables(const std::vector<std::string>& names) {
  std::vector<const KernelTable*> tables;
  for (const KernelTable* table : RunnableKernels()) {
    const bool is_chosen = names.empty() ? table != &kPortableKernels || RunnableKernels().size() == 1
                                         : std::find(names.begin(), names.end(), table->name) != names.end();
    const bool is_new = std::none_of(tables.begin(), tables.end(),  // tables may differ in matrix products only
                                     [&](const KernelTable* other) { return other->layers.exp == table->layers.exp; });
    if (is_chosen && (is_new || !names.empty())) tables.push_back(table);
  }
  return tables;
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  const auto tables = zerocts::Tables({argv + 1, argv + argc});
  if (tables.empty() || (argc > 1 && tables.size() != static_cast<size_t>(argc - 1))) {
    std::fprintf(stderr, "error: expected names of kernels that this CPU runs, as in ZEROCTS_KERNELS\n");
    return 2;
  }
  for (const auto* table : tables) std::printf("kernels: %s\n", table->name);
  bool all_agree = true;
  for (const auto& function : zerocts::kFunctions) all_agree &= zerocts::AllAgree(function, tables);
  return all_agree ? 0 : 1;
}
