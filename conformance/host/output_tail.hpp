// The end of what a rank wrote.
#pragma once
#include <cstddef>
#include <string>

namespace zerocts {

size_t FileBytes(const std::string& path);  // 0: no such file
/// At most the last 4 KiB of the file from byte `from` on, without blanks at its end.
std::string OutputTail(const std::string& path, size_t from);

}  // namespace zerocts
