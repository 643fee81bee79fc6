// How large a zip says that its directory is, before a library believes it and makes room.
#pragma once
#include <string>

#include "conformance/plans/read/torch/torch_zip.hpp"

namespace zerocts::read {

/// Throws std::invalid_argument unless the window ends as a zip does, and every end that it might have, of a zip64 too,
/// stays within kMostMembers and kMostDirectoryBytes.
void RequireModestDirectory(const std::string& path, const Window& window);

}  // namespace zerocts::read
