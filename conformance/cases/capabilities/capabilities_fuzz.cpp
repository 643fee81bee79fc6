// What a subject declares, without and with an option.
#include <nlohmann/json.hpp>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {

std::vector<std::string> FuzzSeeds() {
  return {
      "{}",
      R"({"stages": [1], "param_dtypes": ["fp32","bf16"], "optimizers": ["sgd","adamw"], "world_sizes": [1, 64], "ranks_as_threads": true,
      "reduction_orders": ["rank", "probed"], "plans": ["contiguous"], "bucket_cap_bytes": true, "states": ["master","momentum","gradient"],
      "models": ["mlp"], "optimizer_slack_bytes": 512, "formulas": {"adamw": {"decay": "before"}, "lamb": "own"}, "granularity": "row",
      "shapes": ["scalar"], "parameters_per_unit": 3, "with_option": {"math=fast": {"own_models": true}}})",
      ToJson(Capabilities{}).dump()};
}

void FuzzOne(std::string_view bytes) {
  const std::string text(bytes);
  ReadOrRefuse<std::invalid_argument>(bytes, [&] {
    Capabilities plain = CapabilitiesFromJson(text);
    plain.option_keys.clear();  // of "with_option", which is what only a subject declares
    if (CapabilitiesFromJson(ToJson(plain).dump()) != plain) std::abort();
    if (CapabilitiesFromJson(DeclaredOf(plain).dump()) != plain) std::abort();
    CapabilitiesFromJson(text, {{"math", "fast"}});
  });
}

}  // namespace zerocts
