#include "conformance/host/wire/capability_check.hpp"

#include "conformance/cases/capabilities/beyond_abi.hpp"
#include "conformance/cases/whole/undeclared.hpp"

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

}  // namespace zerocts
