#include "conformance/report/diagnosis/known_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

using JudgedSets = std::vector<std::set<std::string>>;  // what was judged is the same for all mutants of a subject

KnownFault FaultFrom(const json& entry, const std::vector<Symptom>& symptoms, const JudgedSets& judged) {
  KnownFault fault{.id = entry.at("id"),
                   .title = entry.at("title"),
                   .clauses = entry.at("clauses"),
                   .symptoms = {},
                   .judged = judged.at(entry.at("judged"))};
  for (const size_t index : entry.at("symptoms")) fault.symptoms.insert(symptoms.at(index));
  return fault;
}

std::vector<KnownFault> FaultsFrom(const json& value) {
  std::vector<Symptom> symptoms;
  for (const json& entry : value.at("symptoms")) symptoms.push_back({entry.at(0), entry.at(1), entry.at(2)});
  std::vector<KnownFault> faults;
  const JudgedSets judged = value.at("judged");
  for (const json& entry : value.at("faults")) faults.push_back(FaultFrom(entry, symptoms, judged));
  return faults;
}

}  // namespace

std::string KnownFaultsText(const KnownFaults& known) {
  std::map<Symptom, size_t> numbers;
  for (const KnownFault& fault : known.faults) {
    for (const Symptom& symptom : fault.symptoms) numbers.emplace(symptom, 0);
  }
  std::vector<std::string> symptoms, judged, faults;
  for (auto& [symptom, number] : numbers) {
    number = symptoms.size();
    symptoms.push_back(json{symptom.clause, symptom.kind, symptom.word}.dump());
  }
  for (const KnownFault& fault : known.faults) {
    const std::string of_run = json(fault.judged).dump();
    const auto found = std::ranges::find(judged, of_run);
    const auto number_of_judged = found - judged.begin();
    if (found == judged.end()) judged.push_back(of_run);
    std::vector<size_t> of_fault;
    for (const Symptom& symptom : fault.symptoms) of_fault.push_back(numbers.at(symptom));
    faults.push_back(nlohmann::ordered_json{
        {"id", fault.id},
        {"title", fault.title},
        {"clauses", fault.clauses},
        {"judged", number_of_judged},
        {"symptoms",
         of_fault}}.dump());
  }
  return fmt::format(
      "{{\"suite\": {}, \"recorded\": {}, \"command\": {},\n\"symptoms\": [\n{}],\n\"judged\": [\n{}],\n\"faults\": "
      "[\n{}]}}\n",
      json(known.suite).dump(), json(known.recorded).dump(), json(known.command).dump(), fmt::join(symptoms, ",\n"),
      fmt::join(judged, ",\n"), fmt::join(faults, ",\n"));
}

std::vector<KnownFault> LoadKnownFaults(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) return {};
  try {
    return FaultsFrom(ParseJson(*text));
  } catch (const std::exception& wrong) {  // JsonTextError, json's own, std::out_of_range
    throw HarnessError(
        fmt::format("the table of known faults {} is broken: {}; build or install zerocts again", path, wrong.what()));
  }
}

}  // namespace zerocts
