// Rules of divisions as fields of their JSON objects.
#pragma once
#include "reference/experiment/json_form.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

void DescribeRule(OrderedJsonForm& form, Rule& rule);

/// Without "shard" the piece is of shard 0.
void Describe(OrderedJsonForm& form, AffinePiece& piece);

int32_t Int32From(const nlohmann::json& value, const std::string& path);

}  // namespace zerocts::plan
