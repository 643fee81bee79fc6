#include "conformance/cases/whole/undeclared.hpp"

#include <algorithm>

#include "conformance/cases/capabilities/beyond_abi.hpp"
#include "conformance/cases/dimensions/dimension.hpp"

namespace zerocts {
namespace {

bool IsBeyondIn(const Dimension& dimension, const Case& c, const Capabilities& can) {
  return dimension.declared.beyond && !dimension.declared.beyond(c, can).empty();
}

bool IsBeyondInOneAlone(const Case& c, const Capabilities& can) {
  return std::ranges::count_if(Dimensions(), [&](const Dimension& d) { return IsBeyondIn(d, c, can); }) == 1;
}

}  // namespace

std::string BeyondDeclaration(const Case& c, const Capabilities& can) {
  for (const Dimension& dimension : Dimensions()) {
    if (!dimension.declared.beyond) continue;
    if (std::string beyond = dimension.declared.beyond(c, can); !beyond.empty()) return beyond;
  }
  return "";
}

std::vector<UndeclaredCase> UndeclaredOf(const Case& c, const Capabilities& can) {
  std::vector<UndeclaredCase> undeclared;
  for (const Dimension& dimension : Dimensions()) {
    for (const UndeclaredProbe& probe : dimension.declared.probes) {
      Case asked = c;
      asked.undeclared = true;
      probe(asked, can);
      if (!IsBeyondIn(dimension, asked, can) || !IsBeyondInOneAlone(asked, can)) continue;
      if (Problem(asked).empty() && BeyondAbi(asked.experiment).empty())
        undeclared.push_back({dimension.declared.beyond(asked, can), asked});
    }
  }
  return undeclared;
}

}  // namespace zerocts
