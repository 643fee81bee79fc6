// Compares traces record by record, in program order.
#include "conformance/cli/report/trace_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// What a step makes, one after the other; a field of a later format comes last but is not left out.
constexpr std::array<std::string_view, 14> kProgramOrder = {
    "step",   "lr",       "losses",  "mean_loss",  "loss_scale", "gradient", "grad_norm", "skipped", "clip_coefficient",
    "master", "momentum", "exp_avg", "exp_avg_sq", "parameter"};

/// Who trains: the same global batches give the same bits. (The text is known by its hash.)
constexpr std::array<std::string_view, 3> kArrangement = {"experiment/world_size", "experiment/micro_batches",
                                                          "experiment/text"};

size_t IndexInProgram(std::string_view kind) {
  return std::find(kProgramOrder.begin(), kProgramOrder.end(), kind) - kProgramOrder.begin();
}

/// A result of a step: its index in the program, the parameter's index in the model, and its name for people.
using ResultKey = std::tuple<size_t, size_t, std::string>;

std::vector<std::string> ParameterNames(const json& header) {
  JsonFields fields(header, "header"), experiment(fields.Any("experiment"), "header.experiment");
  return ItemsFrom<std::string>(experiment, "parameters", [](const json& parameter, const std::string& path) {
    return JsonFields(parameter, path).Text("name");
  });
}

/// Throws std::invalid_argument unless it has what FirstDifference reads.
void ExpectRecord(const json& record, const std::string& kind) {
  JsonFields fields(record, kind);
  if (const std::string got = fields.Text("record"); got != kind) ThrowUnexpected("record", kind, got);
  if (kind == "header") ParameterNames(record);
  if (kind == "step") JsonFields(fields.Any("hashes"), "step.hashes"), fields.Integer("step");
}

std::map<ResultKey, json> ResultsOf(const json& step, const std::vector<std::string>& parameters) {
  std::map<ResultKey, json> results;
  for (const auto& [field, value] : step.items()) {
    if (field != "hashes" && field != "record") results[{IndexInProgram(field), 0, field}] = value;
  }
  for (const auto& [tensor, hash] : step.at("hashes").items()) {
    const std::string kind = tensor.substr(0, tensor.find('/'));
    const std::string parameter = tensor.substr(std::min(kind.size() + 1, tensor.size()));
    const size_t index = std::find(parameters.begin(), parameters.end(), parameter) - parameters.begin();
    results[{IndexInProgram(kind), index, kind + " of " + parameter}] = hash;
  }
  return results;
}

std::string ValueAt(const std::map<ResultKey, json>& results, const ResultKey& key) {
  const auto found = results.find(key);
  return found == results.end() ? "nothing" : found->second.dump();
}

std::string DifferenceOfStep(const json& a, const json& b, const std::vector<std::string>& parameters) {
  const std::map<ResultKey, json> results_a = ResultsOf(a, parameters), results_b = ResultsOf(b, parameters);
  std::set<ResultKey> keys;
  for (const auto& [key, value] : results_a) keys.insert(key);
  for (const auto& [key, value] : results_b) keys.insert(key);
  for (const ResultKey& key : keys) {
    const std::string value_a = ValueAt(results_a, key), value_b = ValueAt(results_b, key);
    if (value_a == value_b) continue;
    return fmt::format("step {}, {}\n  A: {}\n  B: {}", a.at("step").dump(), std::get<2>(key), value_a, value_b);
  }
  return "";
}

/// "1 of 3 steps" where steps are missing that the header announces.
std::string EndOf(const Trace& trace) {
  static const json::json_pointer kSteps("/experiment/steps");
  const json& header = trace.front();
  if (!header.contains(kSteps) || !header.at(kSteps).is_number_integer()) return "";
  const int64_t announced = header.at(kSteps), written = static_cast<int64_t>(trace.size()) - 1;
  return written < announced ? fmt::format("{} of {} steps", written, announced) : "";
}

}  // namespace

Trace ReadTrace(const std::string& path) {
  std::ifstream in = OpenUserFile(path);
  Trace trace;
  for (std::string line; std::getline(in, line);) {
    const char* expected = trace.empty() ? "header" : "step";
    try {
      json record = ParseJson(line);
      ExpectRecord(record, expected);
      trace.push_back(std::move(record));
    } catch (const std::invalid_argument& wrong) {
      throw UsageError(fmt::format("expected a trace of zerocts train, got {}, whose line {} is no {} record: {}", path,
                                   trace.size() + 1, expected, wrong.what()));
    }
  }
  if (trace.empty())
    throw UsageError(fmt::format("expected a trace of zerocts train, got {}, which is empty or unreadable", path));
  return trace;
}

std::vector<std::string> DifferentConditions(const Trace& a, const Trace& b) {
  const json flat_a = a.front().flatten(), flat_b = b.front().flatten();
  std::set<std::string> fields;
  for (const auto& [field, value] : flat_a.items()) fields.insert(field);
  for (const auto& [field, value] : flat_b.items()) fields.insert(field);
  std::vector<std::string> lines;
  for (const std::string& field : fields) {
    const json value_a = flat_a.value(field, json("nothing")), value_b = flat_b.value(field, json("nothing"));
    if (value_a != value_b)
      lines.push_back(fmt::format("{}: A {}, B {}", field.substr(1), value_a.dump(), value_b.dump()));
  }
  return lines;
}

std::vector<std::string> DifferentExperiments(const Trace& a, const Trace& b) {
  std::vector<std::string> lines = DifferentConditions(a, b);
  std::erase_if(lines, [](const std::string& line) {
    const std::string field = line.substr(0, line.find(':'));
    return !field.starts_with("experiment/") || std::ranges::find(kArrangement, field) != kArrangement.end();
  });
  return lines;
}

std::string CutShort(const Trace& a, const Trace& b) {
  const std::string of_a = EndOf(a), of_b = EndOf(b);
  if (!of_a.empty() && of_a == of_b) return "A and B end after " + of_a;
  if (!of_a.empty()) return "A ends after " + of_a;
  return of_b.empty() ? "" : "B ends after " + of_b;
}

std::string FirstDifference(const Trace& a, const Trace& b) {
  const std::vector<std::string> parameters = ParameterNames(a.front());
  for (size_t i = 1; i < std::min(a.size(), b.size()); ++i) {
    const std::string difference = DifferenceOfStep(a[i], b[i], parameters);
    if (!difference.empty()) return difference;
  }
  if (a.size() == b.size()) return "";
  const auto [longer, end] = std::pair(a.size() > b.size() ? "A" : "B", std::min(a.size(), b.size()) - 1);
  return fmt::format("only {} goes on after {} steps", longer, end);
}

}  // namespace zerocts
