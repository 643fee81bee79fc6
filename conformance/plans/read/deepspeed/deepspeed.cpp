// DeepSpeed, stages 1 to 3. A rank has one partition of every group of the optimizer. In stages 1 and 2 a partition is
// a part of the group's parameters end to end, and says itself which fragments it holds; in stage 3 every parameter is
// divided alone, into parts of ceil(numel / ranks), and a partition says only how many elements it has.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "conformance/plans/read/deepspeed/deepspeed_files.hpp"
#include "conformance/plans/read/files.hpp"
#include "conformance/plans/reading.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::read {
namespace {

constexpr int64_t kMostDataRanks = 1 << 20;

struct RankFile {
  std::string name;
  DeepspeedRank content;
};

std::map<int, RankFile> RankFiles(const std::string& folder) {
  std::map<int, RankFile> files;
  for (const std::string& name : NamesIn(folder)) {
    const auto of = OptimizerFileFrom(name);
    if (!of) continue;
    if (of->tensor_rank != 0)
      throw std::invalid_argument(
          fmt::format("{}: expected one tensor-parallel rank, mp_rank_00, for each has tensors of its own", name));
    RankFile file{name, NamingFile(name, [&] { return DeepspeedRankFrom(folder + "/" + name); })};
    if (!files.emplace(of->rank, std::move(file)).second)
      throw std::invalid_argument(fmt::format("{}: there are two files of rank {}", name, of->rank));
  }
  return files;
}

/// Where parameters of a group begin in its flat buffer.
std::map<std::string, int64_t> OffsetsOf(const std::vector<plan::Tensor>& group) {
  std::map<std::string, int64_t> offsets;
  int64_t offset = 0;
  for (const plan::Tensor& tensor : group) {
    offsets[tensor.name] = offset;
    offset += tensor.numel();
  }
  return offsets;
}

class DeepspeedReader {
 public:
  explicit DeepspeedReader(const std::string& folder) : files_(RankFiles(folder)), model_(DeepspeedModelIn(folder)) {
    if (files_.empty()) throw std::invalid_argument("expected files zero_pp_rank_*_optim_states.pt, got none");
    if (model_.round_robin)
      throw std::invalid_argument(
          "it was saved with round_robin_gradients: no file says in which order parameters lie in the flat buffer");
    if (model_.ranks < 1 || model_.ranks > kMostDataRanks)
      throw std::invalid_argument(fmt::format("dp_world_size is {}: expected 1 to {}", model_.ranks, kMostDataRanks));
    stage_ = files_.begin()->second.content.stage;
    for (const auto& group : model_.groups)
      reading_.plan.model.insert(reading_.plan.model.end(), group.begin(), group.end());
    const std::string problem = plan::Problem({.model = reading_.plan.model});
    if (!problem.empty()) throw std::invalid_argument(problem);
    for (int32_t t = 0; t < std::ssize(reading_.plan.model); ++t) index_[reading_.plan.model[t].name] = t;
    for (const auto& group : model_.groups) offsets_.push_back(OffsetsOf(group));
    intervals_.resize(reading_.plan.model.size());
  }

  Reading Read() {
    int64_t missing = 0;
    for (int rank = 0; rank < model_.ranks; ++rank) {
      const auto file = files_.find(rank);
      if (file != files_.end()) {
        ReadRank(rank, file->second);
      } else if (missing++ == 0) {
        Fault(fmt::format("the file of rank {} is missing: dp_world_size is {}", rank, model_.ranks));
      }
    }
    if (missing > 1) Fault(fmt::format("the files of {} further ranks are missing", missing - 1));
    for (auto beyond = files_.lower_bound(static_cast<int>(model_.ranks)); beyond != files_.end(); ++beyond)
      Fault(fmt::format("{} is of no rank: dp_world_size is {}", beyond->second.name, model_.ranks));
    SetPlan();
    return std::move(reading_);
  }

 private:
  void Fault(std::string sentence) { reading_.faults.push_back(std::move(sentence)); }

  void ReadRank(int rank, const RankFile& file) {
    const DeepspeedRank& content = file.content;
    for (const std::string& problem : content.problems) Fault(fmt::format("{}: {}", file.name, problem));
    if (content.stage != stage_ || content.ranks != model_.ranks || content.groups.size() != model_.groups.size()) {
      Fault(fmt::format("{} is of another run: stage {}, {} ranks, {} groups; expected stage {}, {} ranks, {} groups",
                        file.name, content.stage, content.ranks, content.groups.size(), stage_, model_.ranks,
                        model_.groups.size()));
      return;
    }
    for (size_t g = 0; g < content.groups.size(); ++g)
      stage_ == 3 ? AddParts(rank, g, file) : AddFragments(rank, g, file);
  }

  /// Stage 3: only the sum can be compared with what the partition has.
  void AddParts(int rank, size_t g, const RankFile& file) {
    int64_t expected = 0;
    for (const plan::Tensor& tensor : model_.groups[g]) expected += CeilDivided(tensor.numel(), model_.ranks);
    const int64_t numel = file.content.groups[g].numel;
    if (numel != expected) {
      Fault(fmt::format("{}: its partition of group {} has {} elements: expected {}", file.name, g, numel, expected));
      return;
    }
    for (const plan::Tensor& tensor : model_.groups[g]) {
      const int64_t part = CeilDivided(tensor.numel(), model_.ranks);
      const int64_t begin = std::min(rank * part, tensor.numel()), end = std::min(begin + part, tensor.numel());
      Add(tensor.name, rank, begin, end);
    }
  }

  void AddFragments(int rank, size_t g, const RankFile& file) {
    const DeepspeedGroup& group = file.content.groups[g];
    const int64_t expected = partitions_.emplace(g, group.numel).first->second;
    if (group.numel != expected) {
      Fault(fmt::format("{}: its partition of group {} has {} elements: expected {}, as the ranks before", file.name, g,
                        group.numel, expected));
      return;
    }
    const int64_t begin = CheckedProduct(rank, group.numel);
    for (const Fragment& fragment : group.fragments) {
      const auto offset = offsets_[g].find(fragment.parameter);
      if (offset == offsets_[g].end()) {
        Fault(fmt::format("{}: {} is no parameter of group {}", file.name, fragment.parameter, g));
      } else if (fragment.start > group.numel || fragment.numel > group.numel - fragment.start) {
        Fault(fmt::format("{}: {} is said to end at {} of a partition of {} elements", file.name, fragment.parameter,
                          CheckedSum(fragment.start, fragment.numel), group.numel));
      } else {
        const int64_t first = CheckedSum(begin, fragment.start) - offset->second;
        Add(fragment.parameter, rank, first, CheckedSum(std::max<int64_t>(first, 0), fragment.numel));
      }
    }
  }

  void Add(const std::string& parameter, int rank, int64_t begin, int64_t end) {
    intervals_[index_.at(parameter)].push_back({begin, end, plan::Interval::kBehindTheLast, rank});
  }

  void SetPlan() {
    plan::Plan& plan = reading_.plan;
    plan.planner = fmt::format("DeepSpeed stage {}", stage_);
    plan.mesh = {{{"data", static_cast<int>(model_.ranks)}}};
    plan::Sharding sharding{{"data"}, {}};
    for (int32_t t = 0; t < std::ssize(plan.model); ++t)
      sharding.divisions.push_back({.tensors = {{t, t + 1}}, .rule = plan::Intervals{std::move(intervals_[t])}});
    plan.shardings = {std::move(sharding)};
    constexpr int kDivided = 0, kWhole = plan::Plan::kWhole;
    plan.sharding_of = {stage_ == 3 ? kDivided : kWhole, stage_ >= 2 ? kDivided : kWhole, kDivided};
    reading_.format = fmt::format("{}: {} of {} files of optimizer states, {} parameters in {} groups", plan.planner,
                                  files_.size(), model_.ranks, plan.model.size(), model_.groups.size());
    reading_.untold = {
        "gradients, which no checkpoint has: taken as the stage divides them",
        "a file of another rank or run whose partitions have the same sizes and fragments: nothing names its owner",
        "frozen parameters: only what the optimizer has is judged"};
    if (stage_ == 3)
      reading_.untold.push_back(
          "which elements a partition of stage 3 holds: it says how many, DeepSpeed's formula which");
  }

  const std::map<int, RankFile> files_;
  const DeepspeedModel model_;
  int stage_ = 0;
  Reading reading_;
  std::vector<std::map<std::string, int64_t>> offsets_;  // of each group's parameters in its flat buffer
  std::map<size_t, int64_t> partitions_;                 // elements of each group's, which all ranks have alike
  std::map<std::string, int32_t> index_;
  std::vector<std::vector<plan::Interval>> intervals_;
};

}  // namespace

Reading ReadDeepspeed(const std::string& folder) { return DeepspeedReader(folder).Read(); }

}  // namespace zerocts::read
