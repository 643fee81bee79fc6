// A trial on the ranks of a configuration.
#pragma once
#include <functional>

#include "conformance/contract/trial.hpp"
#include "conformance/session/configuration/configurations.hpp"

namespace zerocts {

/// Runs one case somewhere: on groups of ranks, or in place of them in tests of the suite itself.
using Runner = std::function<RunResult(const Configuration& configuration, const Case& c)>;

/// What it refers to must outlive it.
class ConfigurationTrial final : public Trial {
 public:
  ConfigurationTrial(const Runner& run, const Configuration& configuration, const Capabilities& can)
      : run_(run), configuration_(configuration), can_(can) {}

  const Capabilities& can() const override { return can_; }

 private:
  RunResult RunOnRanks(const Case& c) override { return run_(configuration_, c); }

  const Runner& run_;
  const Configuration& configuration_;
  const Capabilities& can_;
};

}  // namespace zerocts
