#include "conformance/watch/additions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

/// The sums that all trees over the terms give, or all products.
std::set<double> InAnyTree(const std::vector<double>& terms, const std::string& dtype, double (*join)(double, double)) {
  std::vector<std::set<double>> of(size_t{1} << terms.size());
  for (size_t mask = 1; mask < of.size(); ++mask) {
    for (size_t part = (mask - 1) & mask; part > (mask ^ part); part = (part - 1) & mask) {
      for (const double a : of[part]) {
        for (const double b : of[mask ^ part]) of[mask].insert(Rounded(join(a, b), dtype));
      }
    }
    if ((mask & (mask - 1)) == 0) of[mask] = {terms[static_cast<size_t>(std::countr_zero(mask))]};
  }
  return of.back();
}

double Plus(double a, double b) { return a + b; }
double Times(double a, double b) { return a * b; }

std::vector<double> Each(std::vector<double> values, double factor, const std::string& dtype) {
  for (double& value : values) value = Rounded(value * factor, dtype);
  return values;
}

bool IsAnyOf(double got, const std::vector<double>& terms, const std::string& dtype) {
  const auto n = static_cast<double>(terms.size());
  const std::set<double> sums = InAnyTree(terms, dtype, Plus);
  if (sums.contains(got)) return true;
  for (const double sum : sums) {
    if (got == Rounded(sum / n, dtype) || got == Rounded(sum * Rounded(1 / n, dtype), dtype)) return true;
  }
  return InAnyTree(Each(terms, 1 / n, dtype), dtype, Plus).contains(got) ||
         InAnyTree(Each(terms, Rounded(1 / n, dtype), dtype), dtype, Plus).contains(got) ||
         InAnyTree(terms, dtype, Times).contains(got);
}

bool IsWithinBounds(double got, const std::vector<double>& terms, const std::string& dtype) {
  std::vector<double> sizes = terms;
  for (double& size : sizes) size = std::abs(size);
  const auto n = static_cast<double>(terms.size());
  const double sum = ExactSum(terms), bound = (n + 2) * UnitRoundoff(dtype) * ExactSum(sizes) + kTiny;
  return std::abs(got - sum) <= bound || std::abs(got - sum / n) <= bound / n;
}

}  // namespace

double ExactSum(const std::vector<double>& terms) {
  long double sum = 0, lost = 0;  // Neumaier
  for (const long double x : terms) {
    const long double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return static_cast<double>(sum + lost);
}

std::optional<std::string> WrongReduction(double got, const std::vector<double>& terms, const std::string& dtype) {
  if (!std::ranges::all_of(terms, [](double x) { return std::isfinite(x); })) return std::nullopt;
  if (got == *std::ranges::max_element(terms) || got == *std::ranges::min_element(terms)) return std::nullopt;
  const bool few = terms.size() <= kMostTermsInAllOrders;
  if (few ? IsAnyOf(got, terms, dtype) : IsWithinBounds(got, terms, dtype)) return std::nullopt;
  return fmt::format("got {} of {}", got, fmt::join(terms, ", "));
}

}  // namespace zerocts::watch
