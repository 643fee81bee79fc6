#include "conformance/cases/case/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts {
namespace {

using plan::State;
using OwnedByShard = std::vector<std::vector<std::vector<Interval>>>;

[[noreturn]] void ThrowUnfit(const std::string& what) { throw std::invalid_argument(what); }

void RequireTrainable(const plan::Plan& plan) {
  int64_t elements = 0;
  for (const plan::Tensor& tensor : plan.model) {
    if (tensor.tied_to >= 0 && plan.model[static_cast<size_t>(tensor.tied_to)].shape != tensor.shape)
      ThrowUnfit(fmt::format("expected the tied name {} with the shape of {}, got another", tensor.name,
                             plan.model[static_cast<size_t>(tensor.tied_to)].name));
    elements += tensor.numel();  // a model has fewer than 2^56
  }
  if (std::ranges::none_of(plan.model, [](const auto& tensor) { return plan::Needs(tensor, State::kOptimizer); }))
    ThrowUnfit("expected a model with a trained tensor at least, got none");
  if (elements > kMostElementsOfPlanFile) {
    ThrowUnfit(fmt::format(
        "expected at most {} elements, which the reference trains in every case, got {}; make a plan of a smaller "
        "model by the same planner",
        kMostElementsOfPlanFile, elements));
  }
}

/// What ZeRO calls the states that are divided.
int StageOf(const plan::Plan& plan) {
  const bool optimizer = plan.sharding(State::kOptimizer), gradients = plan.sharding(State::kGradients),
             parameters = plan.sharding(State::kParameters);
  if (optimizer && gradients && parameters) return 3;
  if (optimizer && gradients) return 2;
  if (optimizer && !parameters) return 1;
  ThrowUnfit(
      "expected a plan that divides optimizer state (stage 1), gradients too (stage 2), or parameters too (stage 3), "
      "got another choice of states");
}

/// Shard s is the ranks s, s + shards, ..: one of each replica.
void RequireOurMesh(const plan::Group& group) {
  for (int rank = 0; rank < group.world_size(); ++rank) {
    if (group.ShardOf(rank) == rank % group.shards()) continue;
    ThrowUnfit(fmt::format(
        "expected rank {} to have shard {}, got shard {}; name the axes along which states are divided last in the "
        "mesh",
        rank, rank % group.shards(), group.ShardOf(rank)));
  }
}

OwnedByShard OwnedIn(const plan::Plan& plan, State state) {
  const plan::Group group(plan.mesh, plan.sharding(state)->axes);
  RequireOurMesh(group);
  const plan::RankRuns runs(plan, state);
  OwnedByShard owned(static_cast<size_t>(group.shards()), std::vector<std::vector<Interval>>(plan.model.size()));
  for (int shard = 0; shard < group.shards(); ++shard) {
    std::vector<plan::Run> of_shard;
    runs.ForEach(group.FirstRankOf(shard), [&](const plan::Run& run) {
      const bool is_there = plan::Needs(plan.model[static_cast<size_t>(run.tensor)], state);
      if (is_there && run.begin < run.end) of_shard.push_back(run);
    });
    std::ranges::sort(of_shard, {}, &plan::Run::begin);
    for (const plan::Run& run : of_shard)
      AppendJoined({run.begin, run.end}, owned[static_cast<size_t>(shard)][static_cast<size_t>(run.tensor)]);
  }
  return owned;
}

/// The division of the optimizer state, which the other states must have too; a frozen tensor has parameters only.
OwnedByShard OwnedIn(const plan::Plan& plan) {
  OwnedByShard owned = OwnedIn(plan, State::kOptimizer);
  for (const State state : {State::kGradients, State::kParameters}) {
    if (!plan.sharding(state)) continue;
    const OwnedByShard others = OwnedIn(plan, state);
    if (others.size() != owned.size())
      ThrowUnfit(fmt::format("expected {} in {} shards as optimizer state is, got {}", plan::NameOf(state),
                             owned.size(), others.size()));
    for (size_t shard = 0; shard < owned.size(); ++shard) {
      for (size_t t = 0; t < plan.model.size(); ++t) {
        if (plan.model[t].frozen) owned[shard][t] = others[shard][t];
        if (others[shard][t] != owned[shard][t])
          ThrowUnfit(fmt::format("expected {} of {} divided as its optimizer state is, got another division",
                                 plan::NameOf(state), plan.model[t].name));
      }
    }
  }
  return owned;
}

void AddParameter(const plan::Tensor& tensor, FilePlan& file) {
  const int p = static_cast<int>(file.parameters.size());
  file.parameters.push_back({tensor.name, tensor.shape, 0});
  if (tensor.tied_to >= 0) {
    file.tied.push_back({p, tensor.tied_to});
  } else if (tensor.frozen) {
    file.frozen.push_back(p);
  }
}

}  // namespace

bool FilePlan::SaysOwnersOf(int parameter) const {
  return stage >= 3 || std::ranges::find(frozen, parameter) == frozen.end();
}

bool IsPlanFile(const std::string& plan) { return plan.starts_with(kFilePrefix); }

FilePlan FilePlanOf(const std::string& name, const plan::Plan& plan) {
  RequireTrainable(plan);
  FilePlan file{.name = name, .stage = StageOf(plan), .world_size = plan.mesh.world_size(), .owned = OwnedIn(plan)};
  file.replicas = file.world_size / static_cast<int>(file.owned.size());
  for (const plan::Tensor& tensor : plan.model) AddParameter(tensor, file);
  return file;
}

FilePlan LoadFilePlan(const std::string& name) {
  const std::string path = name.substr(kFilePrefix.size());
  const std::optional<std::string> text = JsonFileText(path);
  if (!IsUtf8(name)) ThrowUnfit(fmt::format("plan {}: expected a path in UTF-8; rename it, or use a link", path));
  if (!text) ThrowUnfit(fmt::format("plan {}: expected a file that can be read; check the path", path));
  try {
    return FilePlanOf(name, plan::PlanFromText(*text));
  } catch (const std::invalid_argument& wrong) {
    ThrowUnfit(fmt::format("plan {}: {}", path, wrong.what()));
  }
}

bool Fits(const Case& c, const FilePlan& file) {
  const auto same_shape = [](const ParameterSpec& a, const ParameterSpec& b) { return a.shape == b.shape; };
  const auto is_never_trained = [&](int p) {
    for (int64_t step = 0; step < c.experiment.steps; ++step) {
      if (!c.experiment.roles.IsFrozen(p, step)) return false;
    }
    return true;
  };
  return c.world_size() == file.world_size && c.experiment.roles.tied == file.tied &&
         c.experiment.roles.buffers.empty() &&
         std::ranges::equal(c.experiment.parameters, file.parameters, same_shape) &&
         std::ranges::all_of(file.frozen, is_never_trained);
}

void AddFrozen(const FilePlan& file, Experiment& e) {
  for (const int p : file.frozen) e.roles.frozen.push_back({p, 0, e.steps});
}

Case CaseThrough(const FilePlan& file) {
  Case c;
  c.plan = file.name;
  c.stage = file.stage;
  c.replicas = file.replicas;
  c.experiment.world_size = file.world_size;
  c.experiment.parameters = file.parameters;
  c.experiment.roles.tied = file.tied;
  AddFrozen(file, c.experiment);
  return c;
}

}  // namespace zerocts
