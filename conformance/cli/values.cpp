// Reads numbers, lists and durations strictly: what is not wholly understood is refused.
#include "conformance/cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <random>
#include <set>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

template <typename Number>
std::optional<Number> Parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<Number>(number) : std::nullopt;
}

/// "3" is from 3 to 3, "2-4" from 2 to 4; no more numbers than a person means.
std::optional<std::pair<int, int>> RangeOf(const std::string& word) {
  constexpr int kLongest = 4096;
  const size_t dash = word.find('-', 1);
  const std::optional<int> first = Parsed<int>(word.substr(0, dash));
  const std::optional<int> last = dash == std::string::npos ? first : Parsed<int>(word.substr(dash + 1));
  if (!first || !last || *first < 0 || *last - *first >= kLongest) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

std::vector<std::string> Words(const std::string& text) {
  constexpr const char* kSeparators = ", \t\n";
  std::vector<std::string> words;
  for (size_t begin = text.find_first_not_of(kSeparators); begin != std::string::npos;) {
    const size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSeparators, end);
  }
  return words;
}

std::vector<std::string> Words(const std::vector<std::string>& texts) {
  return Words(fmt::format("{}", fmt::join(texts, " ")));
}

std::string Choice(std::vector<std::string> words) {
  if (words.size() < 2) return words.empty() ? "none" : words.front();
  const std::string last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", fmt::join(words, ", "), last);
}

uint64_t WholeNumber(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  const std::optional<uint64_t> number = Parsed<uint64_t>(text);
  if (!number || *number < least || *number > most) {
    throw UsageError(fmt::format("{}: expected a whole number from {} to {}, got '{}'", option, least, most, text));
  }
  return *number;
}

uint64_t SeedFrom(const std::string& option, const std::string& text, uint64_t most) {
  if (text == "random") {
    std::random_device device;
    return std::uniform_int_distribution<uint64_t>(0, std::min<uint64_t>(most, UINT32_MAX))(device);
  }
  const std::optional<uint64_t> number = Parsed<uint64_t>(text);
  if (number && *number <= most) return *number;
  throw UsageError(fmt::format("{}: expected random or a whole number up to {}, got '{}'", option, most, text));
}

std::vector<int> NumberList(const std::string& option, const std::string& text, int least, int most) {
  std::set<int> numbers;
  for (const std::string& word : Words(text)) {
    const auto [first, last] = RangeOf(word).value_or(std::pair(0, -1));
    if (first < least || first > last || last > most) {
      throw UsageError(fmt::format("{}: expected whole numbers from {} to {}, such as {},{}; got '{}'", option, least,
                                   most, least, least + 1, word));
    }
    for (int number = first; number <= last; ++number) numbers.insert(number);
  }
  if (numbers.empty()) {
    throw UsageError(fmt::format("{}: expected at least one whole number, such as {}; got '{}'", option, least, text));
  }
  return {numbers.begin(), numbers.end()};
}

std::chrono::seconds Duration(const std::string& option, const std::string& text) {
  int64_t unit = 1;
  std::string_view digits = text;
  if (!digits.empty()) {
    if (digits.back() == 'm') unit = 60;
    if (digits.back() == 'h') unit = 3600;
    if (digits.back() == 's' || unit > 1) digits.remove_suffix(1);
  }
  const std::optional<int32_t> number = Parsed<int32_t>(digits);
  if (!number || *number < 1) {
    throw UsageError(fmt::format("{}: expected a duration such as 90s, 10m or 2h, got '{}'", option, text));
  }
  return std::chrono::seconds(*number * unit);
}

std::chrono::seconds DurationWithUnit(const std::string& option, const std::string& text) {
  if (Parsed<int32_t>(text))
    throw UsageError(fmt::format("{}: expected a number with its unit, such as {}s, {}m or {}h, got '{}'", option, text,
                                 text, text, text));
  return Duration(option, text);
}

void RequireUtf8(const std::string& option, const std::string& text) {
  if (!IsUtf8(text))
    throw UsageError(
        fmt::format("{}: expected text in UTF-8, in which other processes are told it, got '{}'; rename "
                    "what it names, or use a link",
                    option, text));
}

std::pair<std::string, std::string> KeyAndValue(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw UsageError(fmt::format("{}: expected key=value, got '{}'", option, text));
  }
  RequireUtf8(option, text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace zerocts
