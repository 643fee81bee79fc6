// Experiments as JSON. Floats travel as shortest decimal text that reads back to the same fp32 bits.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "reference/experiment/experiment.hpp"

namespace zerocts {

nlohmann::json ToJson(const Experiment& experiment);
/// Throws std::invalid_argument with a sentence that names the field: unknown, missing or of the wrong type. Only the
/// fields of semantics_json.hpp, "dampening" and "nesterov" may be absent.
Experiment ExperimentFromJson(const nlohmann::json& json);

/// {"lr":..,"weight_decay":..,..}; "dampening" and "nesterov" may be absent. `path` names the value in sentences.
nlohmann::json ToJson(const HyperParameters& values);
HyperParameters HyperParametersFrom(const nlohmann::json& value, const std::string& path);

/// {"mlp": {"vocab":..,"context":..,"embedding":..,"hidden":[..]}} or
/// {"gpt": {"vocab":..,"context":..,"layers":..,"heads":..,"width":..,"tied":..}}; in both, "slices",
/// "slice_rounding" and "vocab_parallel" may be absent, in the latter "sequence_parallel" too, and "kv_heads", which
/// then are as many as heads
nlohmann::json ToJson(const ModelSpec& model);
/// `path` names the value in sentences. Throws std::invalid_argument, also when the sizes make no sense.
ModelSpec ModelSpecFromJson(const nlohmann::json& json, const std::string& path);

}  // namespace zerocts
