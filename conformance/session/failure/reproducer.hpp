// A Python file that shows a failure with the framework alone, without this suite: what a maintainer wants in a bug
// report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/session/configuration/settings.hpp"
#include "conformance/session/failure/failure.hpp"

namespace zerocts {

/// Writes it to `file`. {file, python} where `python` has the framework, or {reason} when there is none; null when the
/// subject is no framework's. A case that passed gives a file that says so. Never throws for what is only about the
/// file: the verdict stands without it.
nlohmann::json WriteReproducer(const Failure& failure, const std::string& file, const SessionSettings& settings);

/// <folder of the case>/reproduce-<name of the case>.py
std::string ReproducerBeside(const std::string& case_file);

}  // namespace zerocts
