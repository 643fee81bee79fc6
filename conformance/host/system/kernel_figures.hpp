// Files of the kernel with lines "Name:   123 kB".
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace zerocts {

/// The sum of the lines with these names, in bytes; nothing where there is none.
std::optional<int64_t> FindBytes(const std::string& path, std::initializer_list<std::string> names);

}  // namespace zerocts
