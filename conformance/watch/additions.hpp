// What a reduction may give: the sum of its terms in some order, each addition rounded to the dtype, and what is made
// of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace zerocts::watch {

inline constexpr size_t kMostTermsInAllOrders = 5;  // 105 trees of 4 additions

/// Why `got` is no reduction of the terms in their dtype; nothing where it is one, or where they cannot be judged (a
/// term is not finite). Admissible are sum, mean (of the sum, and of terms divided before), product, minimum and
/// maximum: up to five terms to the bit, in any tree of additions; of more, within the bound of any order.
std::optional<std::string> WrongReduction(double got, const std::vector<double>& terms, const std::string& dtype);

inline constexpr double kTiny = 1e-40;  // below: subnormal numbers of fp32, whose rounding is absolute

/// The exact sum of doubles, rounded once or nearly so.
double ExactSum(const std::vector<double>& terms);

}  // namespace zerocts::watch
