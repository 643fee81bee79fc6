// Values of options, read from text. Every function throws UsageError: which option, what was expected, what was got.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts {

/// "a,b c" as {a, b, c}: words between commas or blanks.
std::vector<std::string> Words(const std::string& text);
std::vector<std::string> Words(const std::vector<std::string>& texts);

uint64_t WholeNumber(const std::string& option, const std::string& text, uint64_t least, uint64_t most);

/// A whole number up to `most`, or one drawn by the machine for "random".
uint64_t SeedFrom(const std::string& option, const std::string& text, uint64_t most = UINT64_MAX);

/// "none, params or full".
std::string Choice(std::vector<std::string> words);

/// "1,2,4" or "2-4,8": at least one number, each within [least, most]; ascending, without doubles.
std::vector<int> NumberList(const std::string& option, const std::string& text, int least, int most);

/// "90s", "10m", "2h", or a plain number of seconds; at least one second.
std::chrono::seconds Duration(const std::string& option, const std::string& text);
/// The same, where a plain number may mean seconds or minutes and is refused.
std::chrono::seconds DurationWithUnit(const std::string& option, const std::string& text);

/// "key=value"
std::pair<std::string, std::string> KeyAndValue(const std::string& option, const std::string& text);

/// Throws UsageError for what JSON cannot hold.
void RequireUtf8(const std::string& option, const std::string& text);

}  // namespace zerocts
