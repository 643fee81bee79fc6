// What a subject declares that it can do; parsed from the JSON of zerocts_subject.h.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

struct Capabilities {
  std::vector<int> stages;
  std::vector<Precision> param_dtypes;
  std::vector<OptimizerKind> optimizers;
  int min_world_size = 1, max_world_size = 1;
  bool ranks_as_threads = false;
  std::vector<std::string> reduction_orders;  // "rank", "ring", "tree"; empty: order not known
  std::vector<std::string> plans;
  bool bucket_cap_bytes = false;
  bool clip = false, accumulation = false, groups = false, set_group = false;
  std::vector<std::string> states;  // "master", "momentum", "exp_avg", "exp_avg_sq", "gradient"
  std::vector<std::string> models;  // "mlp", "gpt"
  int64_t optimizer_slack_bytes = 0;
};

/// Throws std::invalid_argument with a sentence that names the field.
Capabilities CapabilitiesFromJson(const std::string& text);
nlohmann::json ToJson(const Capabilities& capabilities);

}  // namespace zerocts
