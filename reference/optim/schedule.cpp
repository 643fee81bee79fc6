#include "reference/optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

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

/// The warm-up, then after(s) for the steps behind it.
template <typename After>
std::vector<float> WarmUpThen(double peak, int64_t warmup, int64_t steps, After after) {
  if (warmup < 0 || warmup > steps) {
    throw std::invalid_argument("warmup_steps: expected 0 to " + std::to_string(steps) +
                                " (the number of steps), got " + std::to_string(warmup));
  }
  std::vector<float> rates(static_cast<size_t>(steps));
  for (int64_t s = 0; s < warmup; ++s) {
    rates[s] = static_cast<float>(peak * (static_cast<double>(s + 1) / static_cast<double>(warmup)));
  }
  for (int64_t s = warmup; s < steps; ++s) rates[s] = static_cast<float>(after(s));
  return rates;
}

}  // namespace

double CosineOfPi(int64_t k, int64_t n) {
  if (2 * k > n) return -CosineOfPi(n - k, n);
  if (4 * k <= n) return Alternating(AngleOf(k, n), 0).high;
  return Alternating(AngleOf(n - 2 * k, 2 * n), 1).high;  // the sine of the complement
}

std::vector<float> LearningRates(const LinearSchedule& schedule, int64_t steps) {
  const int64_t warmup = schedule.warmup_steps;
  const double peak = schedule.peak, end = schedule.final_fraction;
  return WarmUpThen(peak, warmup, steps, [=](int64_t s) {
    const double passed = static_cast<double>(s - warmup) / static_cast<double>(steps - warmup);
    return peak * (1.0 - (1.0 - end) * passed);
  });
}

std::vector<float> LearningRates(const ConstantSchedule& schedule, int64_t steps) {
  const double peak = schedule.peak;
  return WarmUpThen(peak, schedule.warmup_steps, steps, [=](int64_t) { return peak; });
}

std::vector<float> LearningRates(const CosineSchedule& schedule, int64_t steps) {
  const int64_t warmup = schedule.warmup_steps;
  const double peak = schedule.peak, end = schedule.final_fraction;
  return WarmUpThen(peak, warmup, steps, [=](int64_t s) {
    const double share = 0.5 * (1.0 + CosineOfPi(s - warmup, steps - warmup));
    const double falling = (1.0 - end) * share;
    return peak * (end + falling);
  });
}

std::vector<float> LearningRates(const InverseSqrtSchedule& schedule, int64_t steps) {
  const double peak = schedule.peak, first = static_cast<double>(std::max<int64_t>(schedule.warmup_steps, 1));
  return WarmUpThen(peak, schedule.warmup_steps, steps,
                    [=](int64_t s) { return peak * std::sqrt(first / static_cast<double>(s + 1)); });
}

}  // namespace zerocts
