// Files of expected failures, without the cases that they name.
#include "conformance/host/system/errors.hpp"
#include "conformance/session/expectations/expectations.hpp"

#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  return {R"({"subject":"s","entries":[]})",
          R"({"subject":"s","entries":[{"clause":"C-ZERO-001","when":{"world_sizes":[2,3],"precisions":["fp32"],
      "launchers":["local"],"versions":["2.13"],"features":["sgd"]},"result":"fail","message":"m","issue":"","date":"2026-11-22","case":"a.json"}]})"};
}

void FuzzOne(std::string_view bytes) {
  ReadOrRefuse<UsageError>(bytes, [&] { ExpectationsFromText(std::string(bytes)); });
}

}  // namespace zerocts
