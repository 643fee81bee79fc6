// What a reduction may give: the sum of its terms in some order, each addition rounded to the dtype, and what is made
// of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conformance/watch/records.hpp"

namespace zerocts::watch {

inline constexpr size_t kMostTermsInAllOrders = 5;  // 105 trees of 4 additions

/// Why `got` is not what the operation makes of the terms in their dtype; nothing where it is, or where they cannot be
/// judged: a term is not finite, or the operation is "other". `reduce` is "sum", "avg", "product", "min", "max",
/// "band", "bor", "bxor", or empty where it is not known: then any of these will do. A mean may divide the sum, or its
/// terms. Sums and products of up to five terms are compared to the bit, in any tree; of more, with the bound of any
/// order.
std::optional<std::string> WrongReduction(const Element& got, const std::vector<Element>& terms,
                                          const std::string& dtype, const std::string& reduce);

inline constexpr double kTiny = 1e-40;  // below: subnormal numbers of fp32, whose rounding is absolute

/// The exact sum of doubles, rounded once or nearly so.
double ExactSum(const std::vector<double>& terms);

}  // namespace zerocts::watch
