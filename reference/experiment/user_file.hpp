// Files that a user names. None is waited for, none is read without an end, and none is changed through a link.
#pragma once
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zerocts {

/// "expected a regular file, got NAME, a fifo; .."
struct UnfitFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr uint64_t kMostReadBytes = uint64_t{1} << 30;

/// For reading. Closed and failed, with errno, where there is no such file, where it is a folder, and where it may not
/// be read. Throws
/// UnfitFile for a fifo, a device or a socket, and for more than `most_bytes`.
std::ifstream OpenUserFile(const std::string& path, uint64_t most_bytes = kMostReadBytes);

/// Writes the text beside its place and renames it: the file is whole or as before, and a link is replaced, what it
/// names stays. 0, or errno.
int ReplaceFile(const std::string& path, std::initializer_list<std::string_view> text);

/// Renames what is a link, symbolic or not, to `kept`: the next file of this name is one of its own.
void SetLinkAside(const std::string& path, const std::string& kept);

}  // namespace zerocts
