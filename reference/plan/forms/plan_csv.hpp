// Plans as a list of intervals, for those who have nothing else:
//   state,parameter,rank,begin,end
// One line per interval; elements of the parameter, [begin, end). A state without lines is whole; a file without lines
// says nothing and is refused.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

/// Lists the first rank of each shard: a list cannot say who is a replica of whom. Throws std::invalid_argument for
/// what else it cannot say: a plan that divides nothing, a divided state without elements, rules of single ranks,
/// scales and holders of affine pieces, and more than 2^24 intervals.
std::string CsvText(const Plan& plan);

/// Every rank is a shard of its own, on one axis "rank". Without a model a parameter is as long as its intervals say,
/// so that a missing tail goes unnoticed. Throws std::invalid_argument: which line, what was expected, what was got.
Plan PlanFromCsv(std::string_view text, const std::optional<Model>& model);

}  // namespace zerocts::plan
