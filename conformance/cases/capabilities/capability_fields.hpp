// The table of what capabilities can say: one line a field.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"

namespace zerocts {

class JsonFields;

struct CapabilityField {
  const char* name;
  /// Expects that the field is there. Throws std::invalid_argument: its path, what was expected, what was got.
  std::function<void(JsonFields& fields, Capabilities& c)> read;
  std::function<nlohmann::json(const Capabilities& c)> write;
};

const std::vector<CapabilityField>& CapabilityFields();

}  // namespace zerocts
