// Reads numbers, lists and durations strictly: what is not wholly understood is refused.
#include "conformance/cli/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

template <typename Number>
std::optional<Number> Parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional<Number>(number) : std::nullopt;
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

uint64_t WholeNumber(const std::string& option, const std::string& text, uint64_t least, uint64_t most) {
  const std::optional<uint64_t> number = Parsed<uint64_t>(text);
  if (!number || *number < least || *number > most) {
    throw UsageError(fmt::format("{}: expected a whole number from {} to {}, got '{}'", option, least, most, text));
  }
  return *number;
}

std::vector<int> NumberList(const std::string& option, const std::string& text, int least, int most) {
  std::set<int> numbers;
  for (const std::string& word : Words(text)) {
    const std::optional<int> number = Parsed<int>(word);
    if (!number || *number < least || *number > most) {
      throw UsageError(fmt::format("{}: expected whole numbers from {} to {}, such as {},{}; got '{}'", option, least,
                                   most, least, least + 1, word));
    }
    numbers.insert(*number);
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

std::pair<std::string, std::string> KeyAndValue(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw UsageError(fmt::format("{}: expected key=value, got '{}'", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace zerocts
