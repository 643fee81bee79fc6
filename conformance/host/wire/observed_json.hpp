// Pieces of an observation's header: numbers in arrays, readings of memory, and the costs that may be absent.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

inline nlohmann::json ToJson(const MemoryReading& m) {
  return {m.parameter_bytes, m.gradient_bytes, m.optimizer_bytes, m.buffer_bytes};
}

template <typename Integer>
std::vector<Integer> IntegersFrom(const nlohmann::json& array, const std::string& path) {
  std::vector<Integer> integers;
  integers.reserve(array.size());
  for (const nlohmann::json& value : array) {
    if (!value.is_number_integer()) ThrowUnexpected(path, "integers", value);
    integers.push_back(value.get<Integer>());
  }
  return integers;
}

template <typename Integer>
std::vector<Integer> IntegersFrom(JsonFields& fields, const std::string& name) {
  return IntegersFrom<Integer>(fields.Array(name), fields.PathOf(name));
}

inline MemoryReading MemoryFrom(JsonFields& fields, const std::string& name) {
  const std::vector<uint64_t> bytes = IntegersFrom<uint64_t>(fields, name);
  if (bytes.size() != 4) ThrowUnexpected(fields.PathOf(name), "four integers", fields.Any(name));
  return {bytes[0], bytes[1], bytes[2], bytes[3]};
}

/// Peak of what the host counted, plan of memory, traffic, timeline: written where there are some.
void AddCosts(const RankObservation& observation, nlohmann::json& header);
void ReadCosts(JsonFields& fields, RankObservation& observation);

/// Events, and the buckets that they speak of: written where there are some.
void AddEvents(const RankObservation& observation, nlohmann::json& header);
void ReadEvents(JsonFields& fields, RankObservation& observation);

}  // namespace zerocts
