// The whole text of one failure, the same in every report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zerocts {

/// Several lines: the sentence, the first divergence, the fidelity, the case and how to replay it, how to show it with
/// the framework alone, how each rank ended and what it printed.
std::string FailureText(const nlohmann::json& failure);

/// Where its case ran: "local W=1 fp32 (found with W=3)" where shrinking took ranks away.
std::string ConfigurationText(const nlohmann::json& failure);

/// The lines that show it again; "" where no case was saved.
std::string ReplayCommand(const nlohmann::json& failure);

/// How to run a failure record's reproducer, or why there is none; "" for null.
std::string ReproducerText(const nlohmann::json& reproducer);

}  // namespace zerocts
