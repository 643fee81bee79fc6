// The first file of a data base of tensorstore (OCDBT). Nothing behind its first 12 bytes is looked at.
#pragma once
#include <string>

namespace zerocts::read {

/// "", or why `folder`/`name` is no whole manifest: it is missing, something else, or has another size than it says.
std::string ProblemOfManifest(const std::string& folder, const std::string& name);

}  // namespace zerocts::read
