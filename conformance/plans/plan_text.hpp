// What is said of plans: for people, for programs, for CI.
#pragma once
#include <string>
#include <vector>

#include "reference/plan/costs/costs.hpp"
#include "reference/plan/costs/moves.hpp"
#include "reference/plan/judge/judge.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts {

// Names in texts for people are made printable, on one line: they come from files.

/// "12 tensors, 1700000000 elements, mesh shard 4; parameters whole, gradients whole, optimizer in 4 shards"
std::string Summary(const plan::Plan& plan);

std::string VerdictText(const plan::Plan& plan, const plan::Verdict& verdict);
std::string VerdictJson(const plan::Verdict& verdict);
/// One test case per property.
std::string VerdictJUnit(const std::string& name, const plan::Verdict& verdict);

/// Least, most and sum over ranks; with `each_rank` a line per rank too.
std::string CostsText(const plan::Plan& plan, const plan::Costs& costs, bool each_rank);
std::string CostsJson(const plan::Costs& costs);

/// A line for each number of ranks: what the rank holds that holds most, and what a step moves.
std::string ScalingText(const std::vector<plan::Costs>& by_ranks);
std::string ScalingJson(const std::vector<plan::Costs>& by_ranks);

/// The `most` heaviest pairs of ranks, and the totals.
std::string MovesText(const plan::Moves& moves, size_t most);
std::string MovesJson(const plan::Moves& moves);

/// "6.8 GB": powers of 1000, as the makers of memory and links count.
std::string BytesText(double bytes);

}  // namespace zerocts
