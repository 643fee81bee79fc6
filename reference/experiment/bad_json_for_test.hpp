// Values that no reader of JSON from outside may take, wherever they stand.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct BadJson {
  std::string value;
  const char* phrase;  // of the sentence that refuses it
};

inline std::vector<BadJson> BadJsonValues() {
  std::string deep_object;
  for (int level = 0; level < 100'000; ++level) deep_object += "{\"a\":";
  return {{std::string(100'000, '[') + std::string(100'000, ']'), "at most 64 levels of arrays and objects"},
          {deep_object + "1" + std::string(100'000, '}'), "at most 64 levels of arrays and objects"},
          {R"({"twice":1,"once":2,"twice":1})", "expected every key of an object once, got \"twice\" twice"},
          {"1e400", "expected a number that fits a double, got \"1e400\""},
          {"123456789012345678901234567890", "expected an integer of at most 64 bits"},
          {"\"\xff\"", "expected text in UTF-8"}};
}

}  // namespace zerocts
