// A failure as a terminal shows it: the cause first, and no more lines than tell it. The log keeps the rest.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zerocts {

/// What caused it, in a line: the last line of a Python traceback, else the first line.
std::string CauseOf(const std::string& sentence);

/// The record with its cause in front and long texts cut: some forty lines of a hundred columns at most.
nlohmann::json Brief(nlohmann::json failure);

/// At most `lines` lines; what was cut is counted in the last one.
std::string FirstLines(const std::string& text, size_t lines);

size_t LinesOf(const std::string& text);

}  // namespace zerocts
