#include "reference/experiment/json_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

std::string Levels(size_t count) { return std::string(count, '[') + std::string(count, ']'); }

std::string ComplaintAbout(std::string_view text, const JsonLimits& limits = {}) {
  try {
    return "none: " + ParseJson(text, limits).dump();
  } catch (const JsonTextError& wrong) {
    return wrong.what();
  }
}

TEST(JsonText, IsReadAsTheLibraryReadsIt) {
  for (const char* text :
       {"null", " true ", "-3", "18446744073709551615", "-9223372036854775808", "2.5e-3", R"("a\n\u00e4\ud83d\ude00")",
        "[]", "{}", "[[1],{\"a\":[]},[]]", R"({"b":{"a":1},"a":[1,{"c":null}]})", "\t[1 ,\r\n2]\n"}) {
    EXPECT_EQ(ParseJson(text), json::parse(text)) << text;
  }
}

TEST(JsonText, KeepsTheOrderOfKeysWhenAsked) {
  const char* text = R"({"b":1,"a":{"d":2,"c":3}})";
  EXPECT_EQ(ParseOrderedJson(text).dump(), text);
}

TEST(JsonText, SaysWhereItIsWrongAndWhatIsExpectedThere) {
  const std::pair<std::string_view, const char*> wrong[] = {
      {"", R"(line 1, column 1: expected a value, got the end of the text)"},
      {"nul", R"(line 1, column 1: expected a value, got "nul")"},
      {"[1] 2", R"(line 1, column 5: expected the end of the text, got "2")"},
      {"[1,\n2,\n]", R"(line 3, column 1: expected a value, got "]")"},
      {"[}", R"(line 1, column 2: expected a value or "]", got "}")"},
      {"[1 2]", R"(line 1, column 4: expected "," or "]", got "2")"},
      {"[1", R"(line 1, column 3: expected "," or "]", got the end of the text)"},
      {"{1:2}", R"(line 1, column 2: expected a key or "}", got "1")"},
      {R"({"a" 1})", R"(line 1, column 6: expected ":", got "1")"},
      {R"({"a":})", R"(line 1, column 6: expected a value, got "}")"},
      {R"({"a":1 "b"})", R"(line 1, column 8: expected "," or "}", got ""b"")"},
      {R"({"a":1,})", R"(line 1, column 8: expected a key, got "}")"},
      {"[1e400]", R"(line 1, column 2: expected a number that fits a double, got "1e400")"},
      {"[18446744073709551616]",
       R"(line 1, column 2: expected an integer of at most 64 bits, got "18446744073709551616")"},
      {"-9223372036854775809",
       R"(line 1, column 1: expected an integer of at most 64 bits, got "-9223372036854775809")"},
      {"[-]", R"(line 1, column 2: expected a number, got "-]")"},
      {"\"a\xff\"", R"(line 1, column 1: expected text in UTF-8, got ""a?")"},
      {"\"a\nb\"", R"(line 1, column 3: expected text whose control characters are escaped, got ""a<U+000A>")"},
      {R"("a)", R"(line 1, column 1: expected text that ends with a quote, got ""a")"},
      {R"("\x")", R"(line 1, column 1: expected an escape that JSON knows, got ""\x")"},
      {R"("\u12g4")", R"(line 1, column 1: expected an escape \u with 4 hex digits, got ""\u12g")"},
      {R"("\ud800")", R"(line 1, column 1: expected an escape \u of a character, got ""\ud800"")"},
      {std::string_view("[]\0x", 4), R"(line 1, column 3: expected text, got a byte that is 0)"},
      {R"({"a":{"b":1,"c":2,"b":3}})", R"(line 1, column 21: expected every key of an object once, got "b" twice)"},
  };
  for (const auto& [text, sentence] : wrong) EXPECT_EQ(ComplaintAbout(text), sentence) << text;
}

TEST(JsonText, HasLimitsThatActWhileItIsRead) {
  EXPECT_EQ(ComplaintAbout(Levels(64)), "none: " + Levels(64));
  EXPECT_EQ(ComplaintAbout(Levels(65)),
            "line 1, column 65: expected at most 64 levels of arrays and objects, got more");
  EXPECT_EQ(ComplaintAbout(Levels(100'000)),
            "line 1, column 65: expected at most 64 levels of arrays and objects, got more");
  EXPECT_EQ(ComplaintAbout("[[],[],[]]", {.values = 3}), "line 1, column 8: expected at most 3 values, got more");
  EXPECT_EQ(ComplaintAbout("[1,2,3]", {.values = 4}), "none: [1,2,3]");
  EXPECT_EQ(ComplaintAbout("[1,2,3]", {.bytes = 6}), "line 1, column 1: expected at most 6 bytes, got more");
}

TEST(JsonText, IsTakenFromFilesWithoutReadingOn) {
  const std::string path = testing::TempDir() + "/text_of_file.json";
  std::ofstream(path) << "[1,2]";
  EXPECT_EQ(JsonFileText(path), "[1,2]");
  EXPECT_EQ(JsonFileText(path, {.bytes = 3}), "[1,2");
  EXPECT_EQ(JsonFileText(testing::TempDir()), std::nullopt);
  EXPECT_EQ(JsonFileText(path + ".none"), std::nullopt);
}

std::string GotSentence(const json& got) {
  try {
    ThrowUnexpected("x", "y", got);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
}

TEST(JsonFields, ShowTheStartOfAValueHoweverDeepAndLongItIs) {
  json deep;
  for (int level = 0; level < 100'000; ++level) deep = json::array({std::move(deep)});
  EXPECT_EQ(GotSentence(deep), "x: expected y, got " + std::string(57, '[') + "...");
  EXPECT_EQ(GotSentence(std::string(1000, 'a')), "x: expected y, got \"" + std::string(56, 'a') + "...");
  EXPECT_EQ(GotSentence({{"a", {1, "b", nullptr}}, {"c", {}}}), R"(x: expected y, got {"a":[1,"b",null],"c":null})");
  EXPECT_EQ(GotSentence(std::string(55, 'a') + "\u00e4\u00e4\u00e4"),
            "x: expected y, got \"" + std::string(55, 'a') + "...");  // no half character
}

}  // namespace
}  // namespace zerocts
