#include "conformance/check/cause/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <vector>

#include "conformance/check/cause/factors.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr size_t kMostElements = 4096;  // differing elements that a guess is tried on
constexpr size_t kMostShifts = 64;
constexpr double kLeastMove = 64;  // units of rounding; a smaller move shows no factor

constexpr uint64_t kMostUlpsOfRounding = 4;
constexpr uint64_t kUlpsOfBf16 = uint64_t{1} << 16;  // floats from one bf16 to the next

bool IsBf16(float value) { return std::bit_cast<uint32_t>(value) % kUlpsOfBf16 == 0; }

bool Same(float a, float b) { return CanonicalBits(a) == CanonicalBits(b); }

/// got = factor * expected but for the last bits of a few operations.
bool IsMultiple(float expected, float got, double factor) {
  const double product = factor * expected;
  return product != 0 && std::fabs(got - product) <= std::ldexp(std::fabs(product), -20);
}

/// "the step is wrong by W: not divided .."
Hint HintOf(const char* what, const std::vector<Factor>& factors) {
  if (factors.empty()) return {};
  return {fmt::format("{}{} by {}?", what, *what ? "is wrong" : "wrong", TextOf(factors)), TextsOf(factors)};
}

class Guess {
 public:
  explicit Guess(const WrongPiece& piece) : piece_(piece) {
    for (size_t i = 0; i < piece.got.size() && differing_.size() < kMostElements; ++i) {
      if (!Same(Expected(i), piece.got[i])) differing_.push_back(i);
    }
  }

  Hint Found() const {
    if (differing_.empty()) return {};
    if (All([&](size_t i) { return piece_.got[i] != piece_.got[i]; })) {
      return {"NaN: read from memory that was never written?", {}};
    }
    if (All([&](size_t i) { return Expected(i) == 0.0f && piece_.got[i] == 0.0f; })) {
      return {"only the sign of 0 differs", {}};
    }
    if (!piece_.before.empty() && All([&](size_t i) { return Same(piece_.got[i], piece_.before[Element(i)]); })) {
      return {"the values before the step: stale, or not updated?", {}};
    }
    if (All([&](size_t i) { return piece_.got[i] == 0.0f; })) return {"0: never filled, or never added?", {}};
    const auto values = [&](double factor) {
      return All([&](size_t i) { return IsMultiple(Expected(i), piece_.got[i], factor); });
    };
    if (Hint hint = Wrong("", values); !hint.text.empty()) return hint;
    const auto moves = [&](double factor) {
      return !piece_.before.empty() && All([&](size_t i) { return MovedBy(i, factor); });
    };
    if (Hint hint = Wrong("the step ", moves); !hint.text.empty()) return hint;
    const std::string shift = Shift();
    return {shift.empty() ? Rounding() : shift, {}};
  }

 private:
  size_t Element(size_t i) const { return static_cast<size_t>(piece_.begin) + i; }
  float Expected(size_t i) const { return piece_.expected[Element(i)]; }

  template <typename Holds>
  bool All(Holds holds) const {
    return std::all_of(differing_.begin(), differing_.end(), holds);
  }

  template <typename Explains>
  Hint Wrong(const char* what, Explains explains) const {
    return HintOf(what,
                  FactorsThat(explains, piece_.world_size, piece_.micro_batches, piece_.replicas, piece_.experts));
  }

  /// The element moved by the factor times what it should have moved by, as far as its own rounding lets that be seen.
  bool MovedBy(size_t i, double factor) const {
    const double before = piece_.before[Element(i)], due = Expected(i) - before, done = piece_.got[i] - before;
    const double rounding = std::ldexp(std::max(std::fabs(before), std::fabs(before + factor * due)), -22);
    return std::fabs(due) > kLeastMove * rounding && std::fabs(done - factor * due) <= 4 * rounding;
  }

  /// Where the first wrong value belongs, and whether the others stand as far away from their places.
  std::string Shift() const {
    const size_t first = differing_.front();
    std::vector<int64_t> shifts;
    for (size_t e = 0; e < piece_.expected.size(); ++e) {
      if (Same(piece_.expected[e], piece_.got[first])) {
        shifts.push_back(static_cast<int64_t>(e) - static_cast<int64_t>(Element(first)));
      }
    }
    std::stable_sort(shifts.begin(), shifts.end(), [](int64_t a, int64_t b) { return std::abs(a) < std::abs(b); });
    if (shifts.size() > kMostShifts) shifts.resize(kMostShifts);
    for (const int64_t shift : shifts) {
      const auto stands_there = [&](size_t i) {
        const int64_t from = static_cast<int64_t>(Element(i)) + shift;
        return from >= 0 && from < static_cast<int64_t>(piece_.expected.size()) &&
               Same(piece_.expected[from], piece_.got[i]);
      };
      if (All(stands_there)) {
        return fmt::format("expected of element {}: shifted by {}?", Element(first) + shift, -shift);
      }
    }
    return shifts.empty() ? "" : fmt::format("expected of element {}", Element(first) + shifts.front());
  }

  /// What differs by the last places alone was computed from the right numbers.
  std::string Rounding() const {
    const bool is_bf16 = All([&](size_t i) { return IsBf16(Expected(i)) && IsBf16(piece_.got[i]); });
    const uint64_t unit = is_bf16 ? kUlpsOfBf16 : 1;
    const bool is_rounding =
        All([&](size_t i) { return UlpDistance(Expected(i), piece_.got[i]) <= kMostUlpsOfRounding * unit; });
    if (!is_rounding) return "";
    return fmt::format(
        "at most {} units in the last place: another formula, or another order of additions, and no wrong shard? "
        "Declare \"formulas\" or \"reduction_orders\"",
        kMostUlpsOfRounding);
  }

  const WrongPiece& piece_;
  std::vector<size_t> differing_;  // indices into the piece
};

}  // namespace

Hint HintFor(const WrongPiece& piece) {
  Hint hint = Guess(piece).Found();
  if (hint.text.empty() && piece.curved)
    hint.text = "the loss is quadratic: forward or backward computed with other values of a parameter?";
  return hint;
}

Hint FactorHint(float expected, float got, int world_size, int micro_batches, int replicas) {
  const auto explains = [&](double factor) { return IsMultiple(expected, got, factor); };
  return HintOf("", FactorsThat(explains, world_size, micro_batches, replicas));
}

}  // namespace zerocts
