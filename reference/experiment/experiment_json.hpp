// Experiments as JSON. Floats travel as shortest decimal text that reads back to the same fp32 bits.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "reference/experiment/experiment.hpp"
#include "reference/experiment/json_fields.hpp"

namespace zerocts {

nlohmann::json ToJson(const Experiment& experiment);
/// Throws std::invalid_argument with a sentence that names the field: unknown, missing or of the wrong type. What may
/// be missing has its default.
Experiment ExperimentFromJson(const nlohmann::json& json);

/// Parts of an experiment that stand elsewhere too; json_form.hpp writes and reads them.
void Describe(JsonForm& form, HyperParameters& values);
void Describe(JsonForm& form, OptimizerFormula& formula);

/// {"mlp": {"vocab":..,"context":..,"embedding":..,"hidden":[..]}} or
/// {"gpt": {"vocab":..,"context":..,"layers":..,"heads":..,"width":..,"tied":..}}; in both, "slices",
/// "slice_rounding" and "vocab_parallel" may be absent, in the latter "sequence_parallel" too, and "kv_heads", which
/// then are as many as heads
nlohmann::json ToJson(const ModelSpec& model);
/// `path` names the value in sentences. Throws std::invalid_argument, also when the sizes make no sense.
ModelSpec ModelSpecFromJson(const nlohmann::json& json, const std::string& path);

}  // namespace zerocts
