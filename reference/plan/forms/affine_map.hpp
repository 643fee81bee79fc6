// Plans as DeepSpeed's affine IR writes them (deepspeed/checkpoint/affine_ir_spec.md, section 6.2, version 1):
//   {"affine_map": {"version": 1, "^NAME$": {"logical_shape": [..], "ranks": {"0": {"shard_shape": [..], "pieces": [
//     {"shape": [..], "source": [offset, [strides]], "dest": [offset, [strides]], "locations": [..]}, ..]}}}}}
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

/// One state of a plan. Pieces are merged as far as two dimensions go. A flat buffer becomes one shard per parameter.
/// Names may be any bytes: what is no UTF-8 is replaced. Throws std::invalid_argument beyond 2^22 pieces and holders.
std::string AffineMapText(const Plan& plan, State state);

/// All states are divided alike, every rank is a shard of its own. Throws std::invalid_argument.
Plan PlanFromAffineMap(const nlohmann::json& value);
bool IsAffineMap(const nlohmann::json& value);

}  // namespace zerocts::plan
