// What a failure of the suite itself says to its user: sentences of ours, never the text of a library.
#pragma once
#include <exception>
#include <string>

namespace zerocts {

std::string SentenceOf(const std::exception& failure);

}  // namespace zerocts
