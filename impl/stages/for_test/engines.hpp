// Runs engines on W rank threads and puts together what the ranks hold.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "impl/device/for_test/guarded_device.hpp"
#include "impl/stages/engine/engine.hpp"
#include "impl/stages/rank/mesh_groups.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts::engine {

using Tensors = std::vector<std::vector<float>>;  // [parameters][numel]

struct TestRun {
  EngineSettings settings;
  int world_size = 1;
  int64_t first_step = 0, steps = 1;
  std::function<void(Engine&)> resume;  // first of all, where first_step is not 0
  std::string device = "host";          // of MakeDevice, or "guarded"
  DeviceSettings device_settings;
  MakeOps guarded_ops;          // of MakeGuardedDevice
  bool own_precisions = false;  // else every parameter has the settings' precision
  Tensors initial;
  /// Element `i` of parameter `p` in the gradient of global micro-batch g = rank * K + k; tensor ranks have the
  /// same data.
  std::function<float(int64_t step, int64_t g, int p, int64_t i)> gradient;
  std::function<bool(int64_t step, int64_t g, int p)> has_gradient = [](int64_t, int64_t, int) { return true; };
  /// With a model: the tokens of global micro-batch g, of so many sequences; else they are drawn.
  std::function<Batch(int64_t step, int64_t g)> tokens;
  int64_t batch = 2;
  std::function<void(Engine&, int64_t step)> before_micro_batches = [](Engine&, int64_t) {};
  std::function<void(Engine&, int64_t step)> before_step = [](Engine&, int64_t) {};
};

/// After one step. Values as bits, -0 included; every NaN as the canonical one.
struct Snapshot {
  uint32_t grad_norm = 0, clip_coefficient = 0, loss_scale = 0;
  bool skipped = false;
  std::vector<std::vector<uint32_t>> parameters;  // of every rank that has them the same, else the run fails
  std::map<std::string, std::vector<std::vector<uint32_t>>> states;  // put together from the owners
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

/// [steps]. Throws std::runtime_error with the sentence of the first rank that failed, when ranks
/// disagree, or when elements have no or (above stage 0, without replicas) two owners.
std::vector<Snapshot> RunSteps(const TestRun& run);

/// "" when equal, else the first thing that differs.
std::string FirstDifference(const std::vector<Snapshot>& expected, const std::vector<Snapshot>& got);

/// Where a run takes place, in a line.
std::string Where(const TestRun& run);

EngineSettings SettingsFor(const std::vector<int64_t>& numel);
/// The same elements as matrices, which Muon needs.
void CutIntoMatrices(EngineSettings& settings);
/// As in a snapshot.
std::vector<std::vector<uint32_t>> BitsOf(const Tensors& tensors);

}  // namespace zerocts::engine
