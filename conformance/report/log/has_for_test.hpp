#pragma once
#include <string>

namespace zerocts {

/// `part` stands in `text`.
inline bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace zerocts
