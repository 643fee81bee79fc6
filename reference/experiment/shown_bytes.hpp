// Bytes from outside, as they may stand in a sentence.
#pragma once
#include <string>
#include <string_view>

namespace zerocts {

/// The first 40 of them, '?' for what is no printable ASCII, and ".." when there are more.
std::string ShownBytes(std::string_view bytes);

}  // namespace zerocts
