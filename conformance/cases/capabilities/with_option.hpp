// Capabilities that depend on the options of a run.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "conformance/cases/capabilities/capabilities.hpp"

namespace zerocts {

/// What is declared, with what "with_option" says of the options that are given: {"math=fast": {"own_models": true}}
/// replaces "own_models" beside it under --option math=fast. Throws std::invalid_argument with a sentence.
nlohmann::json WithOptions(nlohmann::json declared, const SubjectOptionValues& options);

/// The keys of the options that it speaks of, sorted, each once. Expects what WithOptions took.
std::vector<std::string> KeysOfOptions(const nlohmann::json& declared);

}  // namespace zerocts
