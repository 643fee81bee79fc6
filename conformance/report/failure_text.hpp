// The whole text of one failure, the same in every report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zerocts {

/// Several lines: the sentence, the first divergence, the fidelity, the case and how to replay it, how each rank ended and what it printed.
std::string FailureText(const nlohmann::json& failure);

}  // namespace zerocts
