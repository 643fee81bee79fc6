#include "reference/plan/forms/plan_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "reference/experiment/shown_bytes.hpp"
#include "reference/plan/runs/problem.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

constexpr std::string_view kHeader = "state,parameter,rank,begin,end";
constexpr int64_t kMostLines = int64_t{1} << 24;

std::string Quoted(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// Reads field by field, quotes as RFC 4180 has them.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  /// Empty lines are passed over.
  bool Next(std::array<std::string, 5>& fields) {
    while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) Skip();
    if (rest_.empty()) return false;
    for (size_t f = 0; f < fields.size(); ++f) {
      fields[f] = Field();
      const bool last = f + 1 == fields.size();
      if (last ? !AtLineEnd() : rest_.empty() || rest_.front() != ',') Throw("5 fields, " + std::string(kHeader));
      if (!last) rest_.remove_prefix(1);
    }
    return true;
  }

  [[noreturn]] void Throw(const std::string& expected) const {
    throw std::invalid_argument(fmt::format("line {}: expected {}, got \"{}\"", line_, expected,
                                            ShownBytes(std::string(rest_.substr(0, rest_.find('\n')).substr(0, 40)))));
  }
  [[noreturn]] void ThrowOf(const std::string& expected, const std::string& got) const {
    throw std::invalid_argument(fmt::format("line {}: expected {}, got \"{}\"", line_, expected, ShownBytes(got)));
  }

 private:
  bool AtLineEnd() const { return rest_.empty() || rest_.front() == '\n' || rest_.front() == '\r'; }
  void Skip() {
    line_ += rest_.front() == '\n';
    rest_.remove_prefix(1);
  }
  std::string Field() {
    if (!rest_.empty() && rest_.front() == '"') return QuotedField();
    const size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return field;
  }
  std::string QuotedField() {
    std::string field;
    for (rest_.remove_prefix(1); !rest_.empty(); Skip()) {
      if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        if (rest_.empty() || rest_.front() != '"') return field;
      }
      field += rest_.front();
    }
    Throw("a quote at the end of a field");
  }

  std::string_view rest_;
  int64_t line_ = 1;
};

int64_t NumberOf(const CsvReader& reader, const char* what, const std::string& text, int64_t most) {
  int64_t number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number < 0 || number > most)
    reader.ThrowOf(fmt::format("{} as a whole number from 0 to {}", what, most), text);
  return number;
}

/// Else our JSON would have another name in its place, perhaps that of another tensor.
bool IsUtf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

State StateOf(const CsvReader& reader, const std::string& name) {
  for (const State state : kStates) {
    if (name == NameOf(state)) return state;
  }
  reader.ThrowOf("parameters, gradients or optimizer", name);
}

struct Lists {
  Model model;
  bool given = false;  // the model: names must be its
  std::unordered_map<std::string, int32_t> index;
  std::array<std::map<int32_t, std::vector<Interval>>, 3> of_state;  // by tensor
  int ranks = 1;

  int32_t IndexOf(const CsvReader& reader, const std::string& name) {
    const auto [found, is_new] = index.emplace(name, static_cast<int32_t>(model.size()));
    if (is_new && given) reader.ThrowOf("the name of a tensor of the model", name);
    if (is_new && !IsUtf8(name)) reader.ThrowOf("the name of a tensor in UTF-8", name);
    if (is_new) model.push_back({.name = name, .shape = {0}});
    return found->second;
  }

  void Add(const CsvReader& reader, const std::array<std::string, 5>& fields) {
    const State state = StateOf(reader, fields[0]);
    const int32_t tensor = IndexOf(reader, fields[1]);
    const auto rank = static_cast<int32_t>(NumberOf(reader, "a rank", fields[2], kMostRanks - 1));
    const int64_t begin = NumberOf(reader, "an element", fields[3], kMostElements);
    const int64_t end = NumberOf(reader, "an element", fields[4], kMostElements);
    of_state[static_cast<int>(state)][tensor].push_back({begin, end, Interval::kBehindTheLast, rank});
    ranks = std::max(ranks, rank + 1);
    if (!given) model[tensor].shape[0] = std::max(model[tensor].shape[0], end);
  }
};

Sharding ShardingOf(std::map<int32_t, std::vector<Interval>>& lists) {
  Sharding sharding{{"rank"}, {}};
  for (auto& [tensor, intervals] : lists)
    sharding.divisions.push_back({.tensors = {{tensor, tensor + 1}}, .rule = Intervals{std::move(intervals)}});
  return sharding;
}

/// "" or what of a sharding a list of intervals cannot say.
std::string Unsayable(const Sharding& sharding) {
  for (const Division& division : sharding.divisions) {
    if (!division.exceptions.empty()) return "rules of single ranks";
    const auto* affine = std::get_if<Affine>(&division.rule);
    if (!affine) continue;
    for (const AffinePiece& piece : affine->pieces) {
      if (piece.scale != 1 || piece.locations.size() > 1) return "affine pieces with a scale or several holders";
    }
  }
  return "";
}

/// Lines of one state; throws where a reader would take it for whole or for something else.
std::string LinesOf(const Plan& plan, State state, const Sharding& sharding, int64_t& lines) {
  std::string text;
  const std::string unsayable = Unsayable(sharding);
  if (!unsayable.empty())
    throw std::invalid_argument(fmt::format("{} have {}: write the plan as JSON", NameOf(state), unsayable));
  const RankRuns runs(plan, state);
  const Group group(plan.mesh, sharding.axes);
  for (int shard = 0; shard < group.shards(); ++shard) {
    const int rank = group.FirstRankOf(shard);
    runs.ForEach(rank, [&](const Run& run) {
      if (++lines > kMostLines) throw std::invalid_argument("the plan has more than 2^24 intervals: write it as JSON");
      text +=
          fmt::format("{},{},{},{},{}\n", NameOf(state), Quoted(plan.model[run.tensor].name), rank, run.begin, run.end);
    });
  }
  if (text.empty())
    throw std::invalid_argument(
        fmt::format("{} are divided and no rank has any, which CSV cannot say: write the plan as JSON", NameOf(state)));
  return text;
}

}  // namespace

std::string CsvText(const Plan& plan) {
  std::string text = std::string(kHeader) + "\n";
  int64_t lines = 0;
  for (const State state : kStates) {
    if (const Sharding* sharding = plan.sharding(state)) text += LinesOf(plan, state, *sharding, lines);
  }
  if (lines == 0) throw std::invalid_argument("nothing is divided, and CSV lists what is: write the plan as JSON");
  return text;
}

Plan PlanFromCsv(std::string_view text, const std::optional<Model>& model) {
  Lists lists{.given = model.has_value()};
  if (model) lists.model = *model;
  for (int32_t t = 0; t < std::ssize(lists.model); ++t) lists.index.emplace(lists.model[t].name, t);
  CsvReader reader(text);
  std::array<std::string, 5> fields;
  if (!reader.Next(fields) ||
      fmt::format("{},{},{},{},{}", fields[0], fields[1], fields[2], fields[3], fields[4]) != kHeader)
    throw std::invalid_argument(fmt::format("line 1: expected the header {}", kHeader));
  while (reader.Next(fields)) lists.Add(reader, fields);

  if (std::all_of(lists.of_state.begin(), lists.of_state.end(), [](const auto& lists) { return lists.empty(); }))
    throw std::invalid_argument("no interval behind the header: expected at least one; who holds what is not said");
  Plan plan{.planner = "csv", .model = std::move(lists.model), .mesh = {{{"rank", lists.ranks}}}};
  for (int s = 0; s < 3; ++s) {
    if (lists.of_state[s].empty()) continue;
    plan.sharding_of[s] = static_cast<int>(plan.shardings.size());
    plan.shardings.push_back(ShardingOf(lists.of_state[s]));
  }
  const std::string problem = Problem(plan);
  if (!problem.empty()) throw std::invalid_argument(problem);
  return plan;
}

}  // namespace zerocts::plan
