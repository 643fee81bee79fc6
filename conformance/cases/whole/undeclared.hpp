// What a subject does not declare, asked for one thing at a time.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"

namespace zerocts {

/// "" or what of the case goes beyond the declaration, by the first dimension that has it: "stage 3 (declared: 0, 1)".
std::string BeyondDeclaration(const Case& c, const Capabilities& can);

struct UndeclaredCase {
  std::string what;  // "stage 3 (declared: 0, 1)"
  Case c;            // with `undeclared`, so that it reaches the subject
};

/// The probes of all dimensions that go beyond the declaration, made of a case that does not. Each is valid, and beyond
/// in one dimension alone: what else it has is declared.
std::vector<UndeclaredCase> UndeclaredOf(const Case& c, const Capabilities& can);

}  // namespace zerocts
