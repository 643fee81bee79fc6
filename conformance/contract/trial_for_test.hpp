// A trial without ranks, for tests of judges.
#pragma once
#include <functional>
#include <utility>

#include "conformance/contract/trial.hpp"

namespace zerocts {

class TrialForTest final : public Trial {
 public:
  explicit TrialForTest(std::function<RunResult(const Case&)> ranks, Capabilities can = {})
      : ranks_(std::move(ranks)), can_(std::move(can)) {}

  const Capabilities& can() const override { return can_; }

 private:
  RunResult RunOnRanks(const Case& c) override { return ranks_(c); }

  std::function<RunResult(const Case&)> ranks_;
  Capabilities can_;
};

}  // namespace zerocts
