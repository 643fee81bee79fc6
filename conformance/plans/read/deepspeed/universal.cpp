// DeepSpeed's universal checkpoints: per parameter a folder with one file per state, each whole. Of which parameters
// there must be a folder, and how large they are, says a file of model states beside them.
#include <fmt/format.h>

#include <stdexcept>

#include "conformance/plans/read/deepspeed/deepspeed_files.hpp"
#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/pickle/pickle_view.hpp"
#include "conformance/plans/read/torch/saved_tensor.hpp"
#include "conformance/plans/read/torch/torch_zip.hpp"
#include "conformance/plans/reading.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {
namespace {

constexpr std::string_view kStateEnd = ".pt", kStepCount = "step.pt";

/// Elements of the state in a file: a tensor, or a dict that has it as "param".
int64_t NumelOf(const std::string& path) {
  TorchZip zip = ReadTorchZip(path);
  const Pickle pickle(std::move(zip.pickle));
  const PickleView root(pickle);
  return SavedTensorFrom(root.IsDict() ? root.At("param") : root, zip.storages).numel;
}

class UniversalReader {
 public:
  explicit UniversalReader(const std::string& folder) : zero_(folder + "/zero") {
    plan::Model& model = reading_.plan.model;
    for (const auto& group : DeepspeedModelIn(folder).groups) model.insert(model.end(), group.begin(), group.end());
    const std::string problem = plan::Problem({.model = model});
    if (!problem.empty()) throw std::invalid_argument(problem);
  }

  Reading Read() {
    plan::Plan& plan = reading_.plan;
    plan.planner = "DeepSpeed universal";
    plan.mesh = {{{"file", 1}}};
    plan::Sharding sharding{{"file"}, {}};
    for (int32_t t = 0; t < std::ssize(plan.model); ++t) {
      plan::Intervals whole;
      if (IsWhole(plan.model[t])) whole.intervals.push_back({0, plan.model[t].numel()});
      sharding.divisions.push_back({.tensors = {{t, t + 1}}, .rule = std::move(whole)});
    }
    plan.shardings = {std::move(sharding)};
    plan.sharding_of = {plan::Plan::kWhole, plan::Plan::kWhole, 0};
    reading_.format =
        fmt::format("DeepSpeed universal: {} parameters in {} files of states", plan.model.size(), files_);
    reading_.untold = {"who held what in the training: every state of every parameter is whole in its file",
                       "a state of another run: files have no hash", "parameters: the master is taken for them"};
    return std::move(reading_);
  }

 private:
  /// Its master is there, and every state has all its elements.
  bool IsWhole(const plan::Tensor& tensor) {
    RequirePlainName(tensor.name, "param_shapes");
    const std::string folder = zero_ + "/" + tensor.name;
    if (!IsFile(folder + "/fp32.pt")) {
      reading_.faults.push_back(fmt::format("zero/{}/fp32.pt is missing", tensor.name));
      return false;
    }
    bool whole = true;
    for (const std::string& name : NamesIn(folder)) {
      if (!name.ends_with(kStateEnd) || name == kStepCount) continue;
      ++files_;
      const std::string shown = fmt::format("zero/{}/{}", tensor.name, name);
      const int64_t numel = NamingFile(shown, [&] { return NumelOf(folder + "/" + name); });
      if (numel == tensor.numel()) continue;
      reading_.faults.push_back(fmt::format("{} has {} elements: expected {}", shown, numel, tensor.numel()));
      whole = false;
    }
    return whole;
  }

  const std::string zero_;
  Reading reading_;
  size_t files_ = 0;
};

}  // namespace

Reading ReadUniversal(const std::string& folder) { return UniversalReader(folder).Read(); }

}  // namespace zerocts::read
