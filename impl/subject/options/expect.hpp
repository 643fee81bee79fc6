// What the host gives must hold.
#pragma once
#include <stdexcept>
#include <string>

namespace zerocts::engine {

/// Throws std::invalid_argument with the sentence unless it holds.
inline void Expect(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument(sentence);
}

}  // namespace zerocts::engine
