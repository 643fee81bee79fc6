#include "conformance/check/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr size_t kMostElements = 4096;  // differing elements that a guess is tried on
constexpr size_t kMostShifts = 64;

bool Same(float a, float b) { return CanonicalBits(a) == CanonicalBits(b); }

/// got = factor * expected but for the last bits of a few operations.
bool IsMultiple(float expected, float got, double factor) {
  const double product = factor * expected;
  return product != 0 && std::fabs(got - product) <= std::ldexp(std::fabs(product), -20);
}

struct Factor {
  double value;
  std::string meaning;
};

std::vector<Factor> Factors(int world_size, int micro_batches, int replicas) {
  const double W = world_size, K = micro_batches, R = replicas, S = W / R;
  std::vector<Factor> factors;
  const auto add = [&](double value, const std::string& meaning) {
    if (value != 1.0) factors.push_back({value, meaning});
  };
  add(W * K, fmt::format("{} x expected (W * K): a sum in place of a mean?", W * K));
  add(W, fmt::format("{} x expected (W): not divided by the number of ranks?", W));
  add(K, fmt::format("{} x expected (K): not divided by the number of micro-batches?", K));
  add(1 / W, fmt::format("1/{} of expected (W): divided by the number of ranks twice, or only one rank counted?", W));
  add(1 / K,
      fmt::format("1/{} of expected (K): divided by the number of micro-batches twice, or only one of them counted?",
                  K));
  if (R > 1 && S > 1) {
    add(R, fmt::format("{} x expected (R): not divided by the number of replicas?", R));
    add(S, fmt::format("{} x expected (S): not divided by the ranks of a sharding group?", S));
    add(1 / R, fmt::format("1/{} of expected (R): divided by the number of replicas twice?", R));
    add(1 / S, fmt::format("1/{} of expected (S): divided by the ranks of a sharding group twice?", S));
  }
  add(std::sqrt(W), fmt::format("sqrt({}) x expected (W): every rank's squares counted again?", W));
  add(2, "2 x expected: counted twice?");
  add(0.5, "half of expected: half of it is missing?");
  add(-1, "the negative of expected");
  return factors;
}

/// The meanings of all factors of one value, which `explains`, as one sentence; "" where none does.
template <typename Explains>
std::string MeaningOf(const std::vector<Factor>& factors, Explains explains) {
  std::string meaning;
  for (const Factor& factor : factors) {
    if (explains(factor.value)) meaning += (meaning.empty() ? "" : ", or as well ") + factor.meaning;
  }
  return meaning;
}

class Guess {
 public:
  explicit Guess(const WrongPiece& piece) : piece_(piece) {
    for (size_t i = 0; i < piece.got.size() && differing_.size() < kMostElements; ++i) {
      if (!Same(Expected(i), piece.got[i])) differing_.push_back(i);
    }
  }

  std::string Sentence() const {
    if (differing_.empty()) return "";
    if (All([&](size_t i) { return piece_.got[i] != piece_.got[i]; })) {
      return "NaN: read from memory that was never written?";
    }
    if (!piece_.before.empty() && All([&](size_t i) { return Same(piece_.got[i], piece_.before[Element(i)]); })) {
      return "the values before the step: stale, or not updated?";
    }
    if (All([&](size_t i) { return piece_.got[i] == 0.0f; })) return "0: never filled, or never added?";
    const std::vector<Factor> factors = Factors(piece_.world_size, piece_.micro_batches, piece_.replicas);
    const std::string meaning = MeaningOf(factors, [&](double factor) {
      return All([&](size_t i) { return IsMultiple(Expected(i), piece_.got[i], factor); });
    });
    return meaning.empty() ? Shift() : meaning;
  }

 private:
  size_t Element(size_t i) const { return static_cast<size_t>(piece_.begin) + i; }
  float Expected(size_t i) const { return piece_.expected[Element(i)]; }

  template <typename Holds>
  bool All(Holds holds) const {
    return std::all_of(differing_.begin(), differing_.end(), holds);
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

  const WrongPiece& piece_;
  std::vector<size_t> differing_;  // indices into the piece
};

}  // namespace

std::string HintFor(const WrongPiece& piece) {
  const std::string hint = Guess(piece).Sentence();
  if (!hint.empty() || !piece.curved) return hint;
  return "the loss is quadratic: forward or backward computed with other values of a parameter?";
}

std::string FactorHint(float expected, float got, int world_size, int micro_batches, int replicas) {
  return MeaningOf(Factors(world_size, micro_batches, replicas),
                   [&](double factor) { return IsMultiple(expected, got, factor); });
}

std::string KindOfHint(const std::string& hint) {
  std::string kind;
  for (const char c : hint) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c));
    if (!is_digit) kind += c;
    if (is_digit && !kind.ends_with('#')) kind += '#';
  }
  return kind;
}

}  // namespace zerocts
