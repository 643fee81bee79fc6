// Files of a checkpoint. Whatever else carries the name (a folder, a pipe, a device) is refused before it is opened.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/experiment/json_text.hpp"

namespace zerocts::read {

/// The limits of any JSON in a checkpoint, with what is made of it below 256 MB.
inline constexpr JsonLimits kJsonLimits{.bytes = size_t{16} << 20, .values = 500'000};

/// The size of a regular file. Throws std::invalid_argument.
uint64_t BytesOfFile(const std::string& path);
/// All bytes of one, of which there are at most `most`.
std::string TextOfFile(const std::string& path, uint64_t most);
bool IsFile(const std::string& path);
bool IsFolder(const std::string& path);
/// Names of what stands in a folder, sorted; at most 2^17. A name that is not printable is refused.
std::vector<std::string> NamesIn(const std::string& folder);
/// `name` names a file of this folder and of no other. Throws std::invalid_argument; `of` says who names it.
void RequirePlainName(std::string_view name, std::string_view of);

/// What `read` returns, with the name of the file before the sentence of what it throws.
template <typename Read>
auto NamingFile(const std::string& name, Read read) {
  try {
    return read();
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(name + ": " + wrong.what());
  }
}

}  // namespace zerocts::read
