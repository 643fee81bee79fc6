#include "conformance/plans/read/deepspeed/deepspeed_files.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/pickle/pickle_view.hpp"
#include "conformance/plans/read/torch/saved_tensor.hpp"
#include "conformance/plans/read/torch/torch_zip.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {
namespace {

constexpr std::string_view kRankMark = "zero_pp_rank_", kTensorRankMark = "_mp_rank_",
                           kOptimizerEnd = "_optim_states.pt";

/// Digits at `at` of the name, which moves behind them; -1: none.
int TakeRank(std::string_view name, size_t& at) {
  int number = -1;
  const auto read = std::from_chars(name.data() + at, name.data() + name.size(), number);
  at = static_cast<size_t>(read.ptr - name.data());
  return number;
}

/// What stage 1 and 2 say in lists, one entry per group, and stage 3 in one number.
int64_t RanksFrom(const PickleView& count) {
  return count.kind() == Kind::kList ? (count.length() ? count[0].Size() : 0) : count.Size();
}

int StageFrom(const PickleView& stage) {
  const int64_t number =
      stage.Calls("deepspeed.runtime.zero.config", "ZeroStageEnum") ? stage.Argument(0).Integer() : stage.Integer();
  if (number < 1 || number > 3) throw std::invalid_argument(fmt::format("expected zero_stage 1 to 3, got {}", number));
  return static_cast<int>(number);
}

/// Every tensor of the optimizer's state of group g has as many elements as the partition, or one (its step count).
void JudgeStates(const PickleView& state, const std::map<std::string, int64_t>& storages, DeepspeedRank& rank) {
  for (size_t i = 0, all = state.pairs(); i < all; ++i) {
    const int64_t group = state.Key(i).Size();
    if (group >= std::ssize(rank.groups)) throw std::invalid_argument("a state of a group that has no partition");
    const PickleView tensors = state.Of(i);
    for (size_t s = 0, states = tensors.pairs(); s < states; ++s) {
      if (tensors.Of(s).kind() != Kind::kObject) continue;
      const int64_t numel = SavedTensorFrom(tensors.Of(s), storages).numel, expected = rank.groups[group].numel;
      if (numel != expected && numel != rank.groups[group].saved && numel != 1)
        rank.problems.push_back(fmt::format("{} of group {} has {} elements: expected {}, those of its partition",
                                            tensors.Key(s).Utf8(), group, numel, expected));
    }
  }
}

std::vector<Fragment> FragmentsFrom(const PickleView& mapping) {
  std::vector<Fragment> fragments;
  for (size_t i = 0, all = mapping.pairs(); i < all; ++i) {
    const PickleView address = mapping.Of(i).State();
    fragments.push_back({std::string(mapping.Key(i).Utf8()), address.At("start").Size(), address.At("numel").Size()});
  }
  return fragments;
}

std::vector<plan::Tensor> TensorsFrom(const PickleView& shapes, int group) {
  std::vector<plan::Tensor> tensors;
  for (size_t i = 0, all = shapes.pairs(); i < all; ++i) {
    plan::Tensor tensor{.name = std::string(shapes.Key(i).Utf8()), .shape = {}, .group = group};
    for (size_t d = 0, sizes = shapes.Of(i).length(); d < sizes; ++d) tensor.shape.push_back(shapes.Of(i)[d].Size());
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

DeepspeedModel ModelFrom(const std::string& path) {
  TorchZip zip = ReadTorchZip(path);
  const Pickle pickle(std::move(zip.pickle));
  const PickleView root(pickle), shapes = root.At("param_shapes");
  DeepspeedModel model{.groups = {}, .ranks = root.At("dp_world_size").Size()};
  for (size_t g = 0, all = shapes.length(); g < all; ++g)
    model.groups.push_back(TensorsFrom(shapes[g], static_cast<int>(g)));
  const PickleView zero = root.At("ds_config").At("zero_optimization");
  const auto round_robin = zero.Find("round_robin_gradients");
  model.round_robin = round_robin && round_robin->Bool();
  return model;
}

}  // namespace

std::optional<DeepspeedName> OptimizerFileFrom(const std::string& name) {
  size_t at = name.find(kRankMark);
  if (at != 0 && (at == name.npos || name.substr(0, at) != "bf16_")) return std::nullopt;
  DeepspeedName of;
  of.rank = TakeRank(name, at += kRankMark.size());
  if (of.rank < 0 || name.substr(at, kTensorRankMark.size()) != kTensorRankMark) return std::nullopt;
  of.tensor_rank = TakeRank(name, at += kTensorRankMark.size());
  return of.tensor_rank >= 0 && name.substr(at) == kOptimizerEnd ? std::optional(of) : std::nullopt;
}

DeepspeedRank DeepspeedRankFrom(const std::string& path) {
  TorchZip zip = ReadTorchZip(path);
  const Pickle pickle(std::move(zip.pickle));
  const PickleView state = PickleView(pickle).At("optimizer_state_dict");
  DeepspeedRank rank{.stage = StageFrom(state.At("zero_stage")), .ranks = RanksFrom(state.At("partition_count"))};
  const bool flat = rank.stage == 3;
  const PickleView partitions = state.At(flat ? "fp32_flat_groups" : "single_partition_of_fp32_groups");
  for (size_t g = 0, all = partitions.length(); g < all; ++g) {
    const int64_t saved = SavedTensorFrom(partitions[g], zip.storages).numel;
    const int64_t padding = flat ? 0 : state.At("group_paddings")[g].Size();
    rank.groups.push_back({CheckedSum(saved, padding), saved, {}});
  }
  JudgeStates(state.At(flat ? "optimizer_state_dict" : "base_optimizer_state").At("state"), zip.storages, rank);
  if (flat) return rank;
  const PickleView mappings = state.At("param_slice_mappings");
  if (mappings.length() != rank.groups.size())
    throw std::invalid_argument(
        fmt::format("param_slice_mappings of {} groups: expected {}", mappings.length(), rank.groups.size()));
  for (size_t g = 0; g < rank.groups.size(); ++g) rank.groups[g].fragments = FragmentsFrom(mappings[g]);
  return rank;
}

DeepspeedModel DeepspeedModelIn(const std::string& folder) {
  for (const std::string& name : NamesIn(folder)) {
    if (name.ends_with("mp_rank_00_model_states.pt"))
      return NamingFile(name, [&] { return ModelFrom(folder + "/" + name); });
  }
  throw std::invalid_argument(
      "expected a file ..mp_rank_00_model_states.pt: it has the shapes of the parameters whose states stand here");
}

}  // namespace zerocts::read
