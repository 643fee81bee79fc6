// The one reader of JSON that comes from outside. It has limits that act while it reads, takes no key twice, and says
// in a sentence of its own what is wrong and where.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zerocts {

/// What a text may hold at most. A case has some 7 levels and 1000 values.
struct JsonLimits {
  size_t bytes = size_t{64} << 20;
  size_t levels = 64;          // arrays and objects inside of each other
  size_t values = 10'000'000;  // scalars, arrays, objects
};

/// "line 3, column 7: expected a value, got "]"". The column counts bytes.
struct JsonTextError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The value of a whole text. Throws JsonTextError unless it is JSON in UTF-8 within the limits, its integers fit 64
/// bits, its other numbers are finite doubles, and no object has a key twice.
nlohmann::json ParseJson(std::string_view text, const JsonLimits& limits = {});
/// As above, with the keys of objects in the order of the text.
nlohmann::ordered_json ParseOrderedJson(std::string_view text, const JsonLimits& limits = {});

/// The bytes of a file, cut off after `limits.bytes` + 1, which is enough for ParseJson to refuse it. Nothing: it
/// cannot be read.
std::optional<std::string> JsonFileText(const std::string& path, const JsonLimits& limits = {});

}  // namespace zerocts
