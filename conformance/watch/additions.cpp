#include "conformance/watch/additions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "conformance/watch/tensor_bits.hpp"

namespace zerocts::watch {
namespace {

using Values = std::vector<double>;

Values ValuesOf(const std::vector<Element>& elements) {
  Values values;
  for (const Element& element : elements) values.push_back(element.value);
  return values;
}

/// The sums that all trees over the terms give, or all products.
std::set<double> InAnyTree(const Values& terms, const std::string& dtype, double (*join)(double, double)) {
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

/// From it on numbers are not judged: integers wrap around, doubles do not hold them, a sum may overflow. Of other
/// dtypes than integers and floating-point numbers of 16 bits or more: 0.
double Limit(const std::string& dtype) {
  static const std::map<std::string, int> bits = {
      {"int64", 53}, {"uint64", 53}, {"int32", 31},   {"uint32", 32},    {"int16", 15},    {"uint16", 16},
      {"int8", 7},   {"uint8", 8},   {"float16", 15}, {"bfloat16", 127}, {"float32", 127}, {"float64", 1000}};
  const auto found = bits.find(dtype);
  return found == bits.end() ? 0 : std::ldexp(1.0, found->second);
}

double Plus(double a, double b) { return a + b; }
double Times(double a, double b) { return a * b; }

Values Each(Values values, double factor, const std::string& dtype) {
  for (double& value : values) value = Rounded(value * factor, dtype);
  return values;
}

double SumOfSizes(Values terms) {
  for (double& term : terms) term = std::abs(term);
  return ExactSum(terms);
}

bool AreFew(const Values& terms) { return terms.size() <= kMostTermsInAllOrders; }

double SumsBound(const Values& terms, const std::string& dtype) {
  const auto roundings = static_cast<double>(terms.size()) + 2;
  return roundings * (UnitRoundoff(dtype) * SumOfSizes(terms) + RoundingNearZero(dtype)) + kTiny;
}

bool IsSum(double got, const Values& terms, const std::string& dtype) {
  if (AreFew(terms)) return InAnyTree(terms, dtype, Plus).contains(got);
  return std::abs(got - ExactSum(terms)) <= SumsBound(terms, dtype);
}

bool IsMean(double got, const Values& terms, const std::string& dtype) {
  const auto n = static_cast<double>(terms.size());
  if (!AreFew(terms))
    return std::abs(got - ExactSum(terms) / n) <= SumsBound(terms, dtype) / n + RoundingNearZero(dtype);
  for (const double sum : InAnyTree(terms, dtype, Plus)) {
    if (got == Rounded(sum / n, dtype) || got == Rounded(sum * Rounded(1 / n, dtype), dtype)) return true;
  }
  return IsSum(got, Each(terms, 1 / n, dtype), dtype) || IsSum(got, Each(terms, Rounded(1 / n, dtype), dtype), dtype);
}

bool IsProduct(double got, const Values& terms, const std::string& dtype) {
  const double product = std::accumulate(terms.begin(), terms.end(), 1.0, Times), size = std::abs(product);
  if (size >= Limit(dtype)) return true;
  if (AreFew(terms)) return InAnyTree(terms, dtype, Times).contains(got);
  const auto roundings = 2 * static_cast<double>(terms.size());
  const double bound = roundings * (UnitRoundoff(dtype) * size + RoundingNearZero(dtype)) + kTiny;
  return std::abs(got - product) <= bound;
}

bool IsMinimum(double got, const Values& terms, const std::string&) { return got == *std::ranges::min_element(terms); }
bool IsMaximum(double got, const Values& terms, const std::string&) { return got == *std::ranges::max_element(terms); }

const std::map<std::string, bool (*)(double, const Values&, const std::string&)> kOfNumbers = {
    {"sum", IsSum}, {"avg", IsMean}, {"product", IsProduct}, {"min", IsMinimum}, {"max", IsMaximum}};

const std::map<std::string, std::function<uint64_t(uint64_t, uint64_t)>> kOfBits = {
    {"band", std::bit_and()}, {"bor", std::bit_or()}, {"bxor", std::bit_xor()}};

template <typename Table>
bool IsJudged(const Table& table, const std::string& reduce) {
  return reduce.empty() || table.contains(reduce);
}

bool IsOfBits(const Element& got, const std::vector<Element>& terms, const std::string& reduce) {
  return std::ranges::any_of(kOfBits, [&](const auto& named) {
    uint64_t bits = terms.front().bits;
    for (size_t i = 1; i < terms.size(); ++i) bits = named.second(bits, terms[i].bits);
    return (reduce.empty() || reduce == named.first) && got.bits == bits;
  });
}

bool AreJudged(const Values& terms, const std::string& dtype) {
  return std::ranges::all_of(terms, [](double x) { return std::isfinite(x); }) && SumOfSizes(terms) < Limit(dtype);
}

}  // namespace

double ExactSum(const Values& terms) {
  long double sum = 0, lost = 0;  // Neumaier
  for (const long double x : terms) {
    const long double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return static_cast<double>(sum + lost);
}

std::optional<std::string> WrongReduction(const Element& got, const std::vector<Element>& terms,
                                          const std::string& dtype, const std::string& reduce) {
  const Values values = ValuesOf(terms);
  if (!AreJudged(values, dtype) || !(IsJudged(kOfNumbers, reduce) || IsJudged(kOfBits, reduce))) return std::nullopt;
  for (const auto& [name, is_it] : kOfNumbers) {
    if ((reduce.empty() || reduce == name) && is_it(got.value, values, dtype)) return std::nullopt;
  }
  if (UnitRoundoff(dtype) == 0 && IsOfBits(got, terms, reduce)) return std::nullopt;
  return fmt::format("got {}{} of {}", got.value, reduce.empty() ? "" : " for the " + reduce, fmt::join(values, ", "));
}

}  // namespace zerocts::watch
