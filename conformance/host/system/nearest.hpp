// Which known word did the user mean?
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// Up to three candidates whose edit distance is small against the word's length, nearest first; equals in the order
/// given.
std::vector<std::string> Nearest(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean a or b?)", or "" when nothing is near.
std::string DidYouMean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace zerocts
