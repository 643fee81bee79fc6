#include "reference/optim/cosine.hpp"

#include <cmath>

namespace zerocts {
namespace {

/// high + low, |low| at most half a unit of high: about 106 bits.
struct Pair {
  double high, low;
};

/// a + b exactly, when |a| >= |b| or a is 0.
Pair Ordered(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
Pair Exact(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Pair Add(Pair a, Pair b) {
  const Pair high = Exact(a.high, b.high), low = Exact(a.low, b.low);
  const Pair first = Ordered(high.high, high.low + low.high);
  return Ordered(first.high, first.low + low.low);
}

Pair Multiply(Pair a, Pair b) {
  const double product = a.high * b.high;
  const double rest = std::fma(a.high, b.high, -product);
  return Ordered(product, std::fma(a.high, b.low, std::fma(a.low, b.high, rest)));
}

/// a / n for an integer below 2^53: two quotients and their exact remainders.
Pair Divide(Pair a, double n) {
  const double first = a.high / n;
  const double rest = std::fma(-first, n, a.high) + a.low;
  return Ordered(first, rest / n);
}

constexpr Pair kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// The series x^first / first! - x^(first + 2) / (first + 2)! + .., first = 0 or 1, for 0 <= x < 0.8: 30 powers leave
/// less than 2^-110.
Pair Alternating(Pair x, int first) {
  Pair minus_square = Multiply(x, x);
  minus_square = {-minus_square.high, -minus_square.low};
  Pair term = first == 0 ? Pair{1.0, 0.0} : x, sum = term;
  for (int power = first + 2; power < 30; power += 2) {
    term = Divide(Multiply(term, minus_square), static_cast<double>(power * (power - 1)));
    sum = Add(sum, term);
  }
  return sum;
}

/// pi * k / n
Pair AngleOf(int64_t k, int64_t n) {
  return Multiply(kPi, Divide({static_cast<double>(k), 0.0}, static_cast<double>(n)));
}

}  // namespace

double CosineOfPi(int64_t k, int64_t n) {
  if (2 * k > n) return -CosineOfPi(n - k, n);
  if (4 * k <= n) return Alternating(AngleOf(k, n), 0).high;
  return Alternating(AngleOf(n - 2 * k, 2 * n), 1).high;  // the sine of the complement
}

}  // namespace zerocts
