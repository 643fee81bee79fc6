#include "reference/experiment/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "reference/experiment/shown_bytes.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

std::string Quoted(std::string_view bytes) { return '"' + ShownBytes(bytes) + '"'; }

[[noreturn]] void ThrowAt(std::string_view text, size_t at, const std::string& expected, const std::string& got) {
  const std::string_view before = text.substr(0, at);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw JsonTextError("line " + std::to_string(std::ranges::count(before, '\n') + 1) + ", column " +
                      std::to_string(at - line_begin + 1) + ": expected " + expected + ", got " + got);
}

/// What the parser reads; tells how far it came.
class ReadBytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  explicit ReadBytes(const char*& next) : next_(&next) {}
  reference operator*() const { return **next_; }
  ReadBytes& operator++() { return ++*next_, *this; }
  bool operator==(const ReadBytes& other) const { return *next_ == *other.next_; }
  bool operator!=(const ReadBytes& other) const { return *next_ != *other.next_; }

 private:
  const char** next_;
};

/// What a token lacks, by a word of the parser's sentence about it.
constexpr std::pair<std::string_view, const char*> kBrokenTokens[] = {
    {"UTF-8", "text in UTF-8"},
    {"control character", "text whose control characters are escaped"},
    {"closing quote", "text that ends with a quote"},
    {"surrogate", "an escape \\u of a character"},
    {"4 hex digits", "an escape \\u with 4 hex digits"},
    {"backslash", "an escape that JSON knows"},
    {"number overflow", "a number that fits a double"},
    {"invalid number", "a number"},
};

/// Builds the value from the parser's events; each returns whether the parser may go on.
template <typename Json>
class Builder {
 public:
  using number_integer_t = typename Json::number_integer_t;
  using number_unsigned_t = typename Json::number_unsigned_t;
  using number_float_t = typename Json::number_float_t;
  using string_t = typename Json::string_t;
  using binary_t = typename Json::binary_t;

  Builder(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  Json Build() {
    if (text_.size() > limits_.bytes) ThrowAt(text_, 0, "at most " + std::to_string(limits_.bytes) + " bytes", "more");
    if (const size_t nul = text_.find('\0'); nul != text_.npos) ThrowAt(text_, nul, "text", "a byte that is 0");
    const char* end = text_.data() + text_.size();
    Json::sax_parse(ReadBytes(next_), ReadBytes(end), this);
    return std::move(root_);
  }

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(number_integer_t value) { return Add(value); }
  bool number_unsigned(number_unsigned_t value) { return Add(value); }
  bool number_float(number_float_t value, const string_t& token) {
    const bool is_integer = token.find_first_of(".eE") == token.npos;
    if (is_integer) ThrowAt(text_, BeginOf(token), "an integer of at most 64 bits", Quoted(token));
    return Add(value);
  }
  bool string(string_t& value) { return Add(std::move(value)); }
  bool binary(binary_t&) { return false; }  // of other formats than text

  bool start_object(size_t) { return Open(Json::object()); }
  bool start_array(size_t) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(string_t& name) {
    const auto [entry, is_new] = open_.back()->emplace(name, nullptr);
    if (!is_new) ThrowAt(text_, BytesRead() - 1, "every key of an object once", Quoted(name) + " twice");
    slot_ = &entry.value();
    return true;
  }

  bool parse_error(size_t, const std::string& last_token, const nlohmann::detail::exception& library) {
    const std::string_view all = library.what();
    const std::string_view sentence = all.substr(0, all.find("; last read"));  // without bytes of the text
    const auto says = [&](std::string_view word) { return sentence.find(word) != sentence.npos; };
    if (says("unexpected end of input")) ThrowAt(text_, BytesRead(), ExpectedAt(BytesRead()), "the end of the text");
    // `last_token` goes on behind a text or number, until the next one begins.
    const bool is_one_byte = says("unexpected '");
    const std::string token = is_one_byte ? std::string(text_.substr(BytesRead() - 1, 1)) : last_token;
    const size_t begin = BeginOf(token);
    const auto broken = std::ranges::find_if(kBrokenTokens, [&](const auto& known) { return says(known.first); });
    ThrowAt(text_, begin, broken == std::end(kBrokenTokens) ? ExpectedAt(begin) : broken->second, Quoted(token));
  }

 private:
  size_t BytesRead() const { return static_cast<size_t>(next_ - text_.data()); }

  /// The parser reads at most one byte behind a token.
  size_t BeginOf(std::string_view token) const {
    const size_t begin = text_.substr(0, BytesRead()).rfind(token);
    return begin == text_.npos ? BytesRead() - 1 : begin;
  }

  /// What may stand at `begin`, by what stands before it.
  std::string ExpectedAt(size_t begin) const {
    if (open_.empty()) return values_ == 0 ? "a value" : "the end of the text";
    const size_t before = text_.substr(0, begin).find_last_not_of(" \t\r\n");
    const char previous = before == text_.npos ? ' ' : text_[before];
    if (previous == ':') return "a value";
    if (slot_) return "\":\"";
    const bool in_array = open_.back()->is_array();
    if (previous == ',') return in_array ? "a value" : "a key";
    if (in_array) return previous == '[' ? "a value or \"]\"" : "\",\" or \"]\"";
    return previous == '{' ? "a key or \"}\"" : "\",\" or \"}\"";
  }

  template <typename Value>
  bool Add(Value&& value) {
    Put(std::forward<Value>(value));
    return true;
  }

  template <typename Value>
  Json& Put(Value&& value) {
    if (++values_ > limits_.values)
      ThrowAt(text_, BytesRead() - 1, "at most " + std::to_string(limits_.values) + " values", "more");
    Json* const slot = std::exchange(slot_, nullptr);
    if (slot) return *slot = std::forward<Value>(value);
    if (!open_.empty()) return open_.back()->emplace_back(std::forward<Value>(value));
    return root_ = std::forward<Value>(value);
  }

  bool Open(Json&& empty) {
    if (open_.size() == limits_.levels) {
      ThrowAt(text_, BytesRead() - 1, "at most " + std::to_string(limits_.levels) + " levels of arrays and objects",
              "more");
    }
    open_.push_back(&Put(std::move(empty)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const std::string_view text_;
  const JsonLimits limits_;
  const char* next_ = text_.data();
  Json root_;
  std::vector<Json*> open_;  // arrays and objects, the innermost last
  Json* slot_ = nullptr;     // for the value of the key that was read
  size_t values_ = 0;
};

}  // namespace

nlohmann::json ParseJson(std::string_view text, const JsonLimits& limits) {
  return Builder<nlohmann::json>(text, limits).Build();
}

nlohmann::ordered_json ParseOrderedJson(std::string_view text, const JsonLimits& limits) {
  return Builder<nlohmann::ordered_json>(text, limits).Build();
}

std::optional<std::string> JsonFileText(const std::string& path, const JsonLimits& limits) {
  std::ifstream file = OpenUserFile(path, std::numeric_limits<uint64_t>::max());
  if (!file.is_open()) return std::nullopt;
  std::string text;
  char piece[1 << 16];
  while (text.size() <= limits.bytes && (file.read(piece, sizeof piece) || file.gcount() > 0)) {
    text.append(piece, static_cast<size_t>(file.gcount()));
  }
  text.resize(std::min(text.size(), limits.bytes + 1));
  return text;
}

}  // namespace zerocts
