// Rules of divisions as fields of their JSON objects.
#pragma once
#include <nlohmann/json.hpp>

#include "reference/experiment/json_fields.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

Rule RuleFrom(JsonFields& fields);
void AddRule(const Rule& rule, nlohmann::ordered_json& object);

/// The fields of AffinePiece; without "shard" the piece is of shard 0.
AffinePiece AffinePieceFrom(const nlohmann::json& value, const std::string& path);
nlohmann::ordered_json ToJson(const AffinePiece& piece);

int32_t Int32From(const nlohmann::json& value, const std::string& path);
std::vector<int32_t> Int32sFrom(const nlohmann::json& array, const std::string& path);

}  // namespace zerocts::plan
