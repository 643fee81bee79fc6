// Where do two training traces part? (The format is reference/train/trace.hpp.)
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace zerocts {

using Trace = std::vector<nlohmann::json>;  // the header, then one record per step

/// Throws UsageError when the file cannot be read or is no trace.
Trace ReadTrace(const std::string& path);

/// What the headers say differently, one line each: other conditions, which are no difference of results.
std::vector<std::string> DifferentConditions(const Trace& a, const Trace& b);

/// The lines of DifferentConditions about what is trained. Equal bits are expected from other ranks, machines and
/// orders of addition, but not from another experiment.
std::vector<std::string> DifferentExperiments(const Trace& a, const Trace& b);

/// Which traces end before the last step that their headers announce: "A and B end after 1 of 3 steps"; "": none.
std::string CutShort(const Trace& a, const Trace& b);

/// The first result that differs, in the order in which a step makes them: losses, gradients, norm, masters, moments,
/// parameters (in the model's order). "" when all are equal.
std::string FirstDifference(const Trace& a, const Trace& b);

}  // namespace zerocts
