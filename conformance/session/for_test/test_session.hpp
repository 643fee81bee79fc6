// A session without ranks, for tests of the suite itself.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// A subject of plain trainings: it declares nothing that a feature needs.
inline Capabilities PlainCapable() {
  Capabilities can;
  can.stages = {0, 1, 2, 3};
  can.param_dtypes = {Precision::kFp32, Precision::kBf16};
  can.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  can.max_world_size = 8;
  can.reduction_orders = {"rank"};
  can.plans = {"contiguous", "padded"};
  can.bucket_cap_bytes = can.clip = can.accumulation = can.groups = can.set_group = true;
  can.states = {"master", "momentum", "exp_avg", "exp_avg_sq"};
  can.models = {"mlp", "gpt"};
  return can;
}

/// A subject that declares everything, for sessions of few ranks in one order.
inline Capabilities AbleToDoAnything() {
  Capabilities can = EverythingCapable();
  const Capabilities plain = PlainCapable();
  can.max_world_size = plain.max_world_size;
  can.ranks_as_threads = can.plan_files = false;
  can.reduction_orders = plain.reduction_orders;
  can.states = plain.states;
  return can;
}

inline SessionSettings TestSettings() {
  SessionSettings settings;
  settings.info.name = "stand-in";
  settings.info.capabilities = AbleToDoAnything();
  settings.launchers = {LauncherKind::kThreads};
  settings.progress = false;
  return settings;
}

/// An open session with a folder of its own, both gone at the end.
class TestSession {
 public:
  explicit TestSession(Runner runner, SessionSettings settings = TestSettings()) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("zerocts-contract-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    settings.out_dir = folder_;
    session_.emplace(std::move(settings), std::move(runner));
  }
  ~TestSession() {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }
  Session& get() { return *session_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::optional<Session> session_;
  std::filesystem::path folder_;
};

}  // namespace zerocts
