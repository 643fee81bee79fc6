#include "reference/plan/forms/affine_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/plan/forms/rule_json.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/runs/runs.hpp"
#include "reference/plan/value/checked_int64.hpp"

namespace zerocts::plan {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char* kRoot = "affine_map";
constexpr int kVersion = 1;
constexpr int64_t kMostListed = int64_t{1} << 22;  // pieces, and their holders

/// As Python's re.escape does.
std::string PatternOf(const std::string& name) {
  std::string pattern = "^";
  for (const char c : name) {
    if (std::string_view(".^$*+?{}[]()\\|-#&~ \t\n").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern + "$";
}

std::string NameOfPattern(const std::string& pattern) {
  if (pattern.size() < 2 || pattern.front() != '^' || pattern.back() != '$') return pattern;
  std::string name;
  for (size_t i = 1; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 2 < pattern.size()) ++i;
    name += pattern[i];
  }
  return name;
}

/// Equal runs at equal distances are one piece.
std::vector<AffinePiece> Folded(const std::vector<Run>& runs, const std::vector<int32_t>& holders) {
  std::vector<AffinePiece> pieces;
  for (size_t first = 0; first < runs.size();) {
    const int64_t numel = runs[first].end - runs[first].begin;
    size_t end = first + 1;
    const int64_t source = end < runs.size() ? runs[end].begin - runs[first].begin : 0;
    const int64_t dest = end < runs.size() ? runs[end].at - runs[first].at : 0;
    while (end < runs.size() && runs[end].end - runs[end].begin == numel &&
           runs[end].begin - runs[end - 1].begin == source && runs[end].at - runs[end - 1].at == dest)
      ++end;
    AffinePiece piece{.source_offset = runs[first].begin, .dest_offset = runs[first].at, .locations = holders};
    const auto count = static_cast<int64_t>(end - first);
    piece.shape = count == 1 ? std::vector{numel} : std::vector{count, numel};
    piece.source_strides = count == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{source, 1};
    piece.dest_strides = count == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{dest, 1};
    pieces.push_back(piece);
    first = end;
  }
  return pieces;
}

int64_t EndOf(const std::vector<AffinePiece>& pieces) {
  int64_t end = 0;
  for (const AffinePiece& piece : pieces) {
    int64_t last = piece.dest_offset + 1;
    for (size_t d = 0; d < piece.shape.size(); ++d) last += (piece.shape[d] - 1) * piece.dest_strides[d];
    if (piece.numel() > 0) end = std::max(end, last);
  }
  return end;
}

/// Runs of one rank by tensor; `at` begins anew with each.
std::map<int32_t, std::vector<Run>> RunsByTensor(const RankRuns& of_ranks, int rank) {
  std::map<int32_t, std::vector<Run>> runs;
  of_ranks.ForEach(rank, [&](const Run& run) { runs[run.tensor].push_back(run); });
  for (auto& [tensor, of_tensor] : runs) {
    const int64_t first = std::min_element(of_tensor.begin(), of_tensor.end(), [](const Run& a, const Run& b) {
                            return a.at < b.at;
                          })->at;
    for (Run& run : of_tensor) run.at -= first;
  }
  return runs;
}

/// In ranks of the mesh.
std::vector<int32_t> HoldersOf(const AffinePiece& piece, const Group& group) {
  std::vector<int32_t> ranks;
  for (const int32_t shard : piece.locations) {
    for (const int holder : group.RanksOf(shard)) ranks.push_back(holder);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

ordered_json PieceList(const std::vector<AffinePiece>& pieces) {
  ordered_json array = ordered_json::array();
  for (const AffinePiece& piece : pieces) {
    array.push_back(OrderedJsonForm::ToJson(piece));
    array.back().erase("shard");  // the IR names the rank once, above its pieces
  }
  return array;
}

class Writer {
 public:
  Writer(const Plan& plan, State state)
      : plan_(plan),
        state_(state),
        sharding_(plan.sharding(state)),
        group_(plan.mesh, sharding_ ? sharding_->axes : std::vector<std::string>{}),
        runs_(plan, state) {
    for (const Division& division : sharding_ ? std::span(sharding_->divisions) : std::span<const Division>{}) {
      if (std::holds_alternative<Affine>(division.rule))
        affine_.emplace(division.tensors.front().first, ShardRules(division.rule));
    }
  }

  ordered_json Write() {
    ordered_json map = {{"version", kVersion}};
    for (const Tensor& tensor : plan_.model) {
      if (!Needs(tensor, state_)) continue;
      map[PatternOf(tensor.name)] = {{"logical_shape", tensor.shape}, {"ranks", ordered_json::object()}};
    }
    for (int rank = 0; rank < plan_.mesh.world_size(); ++rank) {
      for (const auto& [tensor, runs] : RunsByTensor(runs_, rank)) {
        const std::vector<AffinePiece> pieces = PiecesOf(rank, tensor, runs);
        map[PatternOf(plan_.model[tensor].name)]["ranks"][std::to_string(rank)] = {{"shard_shape", {EndOf(pieces)}},
                                                                                   {"pieces", PieceList(pieces)}};
      }
    }
    return {{kRoot, std::move(map)}};
  }

 private:
  /// Explicit pieces keep their scale and their holders; runs are folded.
  std::vector<AffinePiece> PiecesOf(int rank, int32_t tensor, const std::vector<Run>& runs) {
    const int shard = group_.ShardOf(rank);
    const auto explicit_ones = affine_.find(tensor);
    std::vector<AffinePiece> pieces = explicit_ones == affine_.end()
                                          ? Folded(runs, group_.RanksOf(shard))
                                          : std::get<Affine>(explicit_ones->second.Of(shard)).pieces;
    for (AffinePiece& piece : pieces) {
      if (explicit_ones != affine_.end()) piece.locations = HoldersOf(piece, group_);
      listed_ += 1 + std::ssize(piece.locations);
    }
    if (listed_ > kMostListed)
      throw std::invalid_argument("the plan has more than 2^22 affine pieces and holders of them: write it as JSON");
    return pieces;
  }

  const Plan& plan_;
  const State state_;
  const Sharding* sharding_;
  Group group_;
  RankRuns runs_;
  std::map<int32_t, ShardRules> affine_;  // by tensor
  int64_t listed_ = 0;
};

class Reader {
 public:
  Plan Read(const json& value) {
    JsonFields root(value, "file");
    JsonFields map(root.Any(kRoot), kRoot);
    const int64_t version = map.Integer("version");
    if (version != kVersion) ThrowUnexpected("affine_map.version", "1, the version that this build reads", version);
    for (const auto& [pattern, parameter] : root.Any(kRoot).items()) {
      if (pattern != "version") ReadParameter(pattern, parameter);
    }
    plan_.mesh = {{{"rank", ranks_}}};
    plan_.planner = kRoot;
    plan_.shardings = {std::move(sharding_)};
    plan_.sharding_of = {0, 0, 0};
    const std::string problem = Problem(plan_);
    if (!problem.empty()) throw std::invalid_argument("affine_map: " + problem);
    return std::move(plan_);
  }

 private:
  void ReadParameter(const std::string& pattern, const json& value) {
    JsonFields fields(value, std::string(kRoot) + "." + pattern);
    Tensor tensor{.name = NameOfPattern(pattern)};
    tensor.shape = IntegersFrom(fields.Array("logical_shape"), fields.PathOf("logical_shape"));
    Affine affine;
    const json& ranks = fields.Any("ranks");
    if (!ranks.is_object()) ThrowUnexpected(fields.PathOf("ranks"), "an object", ranks);
    std::map<int, int64_t> numel;
    for (const auto& [rank, shard] : ranks.items())
      ReadShard(rank, shard, fields.PathOf("ranks." + rank), affine, numel);
    if (!numel.empty() && numel.rbegin()->first + 1 == std::ssize(numel)) {  // no rank is left out
      for (const auto& [rank, of_rank] : numel) affine.shard_numel.push_back(of_rank);
    }
    const auto index = static_cast<int32_t>(plan_.model.size());
    plan_.model.push_back(tensor);
    sharding_.divisions.push_back({.tensors = {{index, index + 1}}, .rule = std::move(affine)});
  }

  void ReadShard(const std::string& text, const json& value, const std::string& path, Affine& affine,
                 std::map<int, int64_t>& numel) {
    int rank = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || rank < 0 || rank >= kMostRanks)
      ThrowUnexpected(path, "the number of a rank", text);
    ranks_ = std::max(ranks_, rank + 1);
    JsonFields fields(value, path);
    numel[rank] = 1;
    for (const int64_t size : IntegersFrom(fields.Array("shard_shape"), fields.PathOf("shard_shape"))) {
      if (size < 0) ThrowUnexpected(fields.PathOf("shard_shape"), "sizes of 0 or more", value["shard_shape"]);
      numel[rank] = CheckedProduct(numel[rank], size);
    }
    for (const json& piece : fields.Array("pieces")) {
      affine.pieces.push_back(OrderedJsonForm::From<AffinePiece>(piece, fields.PathOf("pieces")));
      affine.pieces.back().shard = rank;
    }
  }

  Plan plan_;
  Sharding sharding_{{"rank"}, {}};
  int ranks_ = 1;
};

}  // namespace

std::string AffineMapText(const Plan& plan, State state) { return Dumped(Writer(plan, state).Write()) + "\n"; }

Plan PlanFromAffineMap(const json& value) { return Reader().Read(value); }

bool IsAffineMap(const json& value) { return value.is_object() && value.contains(kRoot); }

}  // namespace zerocts::plan
