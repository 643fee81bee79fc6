// Which known word did the user mean?
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// The candidate that others call so; else up to three of which the word is a part, or whose edit distance is small
/// against its length, nearest first; equals in the order given.
std::vector<std::string> Nearest(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean a or b?)", or "" when nothing is near.
std::string DidYouMean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace zerocts
