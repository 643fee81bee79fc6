// What is wrong with a case; every check gives the first thing, or nothing.
#pragma once
#include <optional>
#include <string>

#include "conformance/check/finding/divergence.hpp"

namespace zerocts {

struct Finding {
  std::string sentence;                  // what is wrong, one sentence
  std::optional<Divergence> divergence;  // where
  size_t things = 1;                     // how many wrong things the sentence lists; a smaller case has no fewer
};

}  // namespace zerocts
