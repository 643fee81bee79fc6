// Base64 as RFC 4648 has it, section 4.
#pragma once
#include <string>
#include <string_view>

namespace zerocts::read {

/// Throws std::invalid_argument.
std::string FromBase64(std::string_view text);

}  // namespace zerocts::read
