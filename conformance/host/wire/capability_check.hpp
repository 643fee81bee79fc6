// Does a case stay within what a subject declares?
#pragma once
#include <string>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

/// "" or what the case needs and the ABI cannot say or the subject does not declare: "stage 3 (declared: 0, 1)". What
/// is not declared stops no case that asks for it (Case::undeclared): there the subject is to refuse it.
std::string BeyondCapabilities(const Case& c, const Capabilities& capabilities, bool ranks_share_process);

/// What it needs of the capabilities, within which it is: "stages, optimizers, accumulation".
std::string NeededCapabilities(const Case& c, const Capabilities& capabilities);

/// What the subject of a rank declares under these options, and what its kind of rank cannot do. Throws
/// std::invalid_argument.
Capabilities CapabilitiesOf(const HelloMessage& hello, const SubjectOptionValues& options = {});

}  // namespace zerocts
