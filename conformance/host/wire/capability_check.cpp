#include "conformance/host/wire/capability_check.hpp"

#include <nlohmann/json.hpp>

#include "conformance/cases/capabilities/beyond_abi.hpp"
#include "conformance/cases/capabilities/capability_fields.hpp"
#include "conformance/cases/whole/undeclared.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

Capabilities CapabilitiesOf(const HelloMessage& hello, const SubjectOptionValues& options) {
  Capabilities capabilities = CapabilitiesFromJson(hello.capabilities, options);
  capabilities.host_computes_models = !hello.wants_inputs;
  return capabilities;
}

std::string BeyondCapabilities(const Case& c, const Capabilities& can, bool ranks_share_process) {
  if (std::string beyond = BeyondAbi(c.experiment); !beyond.empty()) return beyond;
  if (ranks_share_process && !can.ranks_as_threads) return "ranks as threads of one process (not declared)";
  return c.undeclared ? "" : BeyondDeclaration(c, can);
}

std::string NeededCapabilities(const Case& c, const Capabilities& can) {
  std::string needed;
  for (const CapabilityField& field : CapabilityFields()) {
    const nlohmann::json none = {{field.name, field.write(Capabilities())}};
    JsonFields fields(none, "capabilities");
    Capabilities less = can;
    field.read(fields, less);
    if (!BeyondDeclaration(c, less).empty()) needed += (needed.empty() ? "" : ", ") + std::string(field.name);
  }
  return needed;
}

}  // namespace zerocts
