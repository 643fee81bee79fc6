// What a record of the event log must look like before a report reads it.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace zerocts {

/// Throws std::invalid_argument "configuration.cases: expected an integer, got "x"" when a field that reports read is
/// missing or of another type. Fields and records that no report reads are not looked at.
void ExpectRecord(const nlohmann::json& record);

}  // namespace zerocts
