// JSON from outside: what is taken is what the library reads, and can be written and read again.
#include <nlohmann/json.hpp>

#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  return {R"({"text":"a\n\u00e4\ud83d\ude00","list":[1,-2,3.5e-3,true,null],"object":{"a":{},"b":[]}})",
          "[[[[[[[[[[1]]]]]]]]]]", "18446744073709551615", R"({"twice":1,"twice":2})", "[1e400]"};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<JsonTextError>(bytes, [&] {
    const nlohmann::json value = ParseJson(bytes);
    if (value != nlohmann::json::parse(bytes)) std::abort();
    if (ParseJson(value.dump()) != value) std::abort();
  });
}

}  // namespace zerocts
