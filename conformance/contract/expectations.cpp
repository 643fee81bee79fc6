#include "conformance/contract/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/cases/features.hpp"
#include "conformance/host/group.hpp"

namespace zerocts {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A list that is empty is no condition.
template <typename Item>
bool Allows(const std::vector<Item>& list, const Item& item) {
  return list.empty() || std::ranges::find(list, item) != list.end();
}

bool HasAll(const Case& c, const std::vector<std::string>& features) {
  if (features.empty()) return true;
  const std::set<std::string> has = FeaturesOf(c);
  return std::ranges::all_of(features, [&](const std::string& feature) { return has.contains(feature); });
}

template <typename Item>
std::vector<std::string> Names(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(ToString(item));
  return names;
}

template <typename Item, typename FromString>
std::vector<Item> Parsed(const json& where, const char* key, FromString from_string) {
  std::vector<Item> items;
  for (const std::string& name : where.value(key, std::vector<std::string>{})) items.push_back(from_string(name));
  return items;
}

void ExpectKeys(const json& object, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw std::invalid_argument(fmt::format("expected the keys {}, got \"{}\"", fmt::join(known, ", "), key));
    }
  }
}

std::vector<std::string> FeaturesFrom(const json& where) {
  const std::vector<std::string> features = where.value("features", std::vector<std::string>{});
  for (const std::string& feature : features) {
    if (std::ranges::none_of(FeatureMeanings(), [&](const auto& known) { return known.first == feature; })) {
      throw std::invalid_argument(fmt::format("expected features that zerocts explain names, got \"{}\"", feature));
    }
  }
  return features;
}

ExpectedWhere WhereFrom(const json& where) {
  ExpectKeys(where, {"world_sizes", "precisions", "launchers", "versions", "features"});
  return {.world_sizes = where.value("world_sizes", std::vector<int>{}),
          .precisions = Parsed<Precision>(where, "precisions", PrecisionFromString),
          .launchers = Parsed<LauncherKind>(where, "launchers", LauncherKindFromString),
          .versions = where.value("versions", std::vector<std::string>{}),
          .features = FeaturesFrom(where)};
}

/// The case must show the entry: of its clause, where it says.
void ExpectShown(const Expectation& e) {
  if (e.shown_by.clause != e.clause) {
    throw std::invalid_argument(fmt::format("expected a case of {}, got one of {} in {}", e.clause, e.shown_by.clause, e.case_file));
  }
  const bool is_there = Allows(e.when.world_sizes, e.shown_by.world_size()) && Allows(e.when.precisions, e.shown_by.experiment.precision);
  if (!is_there || !HasAll(e.shown_by, e.when.features)) {
    throw std::invalid_argument(fmt::format("expected a case that its \"when\" covers, got {} in {}", Summary(e.shown_by), e.case_file));
  }
}

Expectation EntryFrom(const json& entry, const fs::path& folder) {
  ExpectKeys(entry, {"clause", "when", "result", "message", "issue", "date", "case"});
  Expectation e{.clause = entry.at("clause"),
                .when = WhereFrom(entry.value("when", json::object())),
                .result = ResultFromString(entry.at("result")),
                .message = entry.at("message"),
                .issue = entry.at("issue"),
                .date = entry.at("date"),
                .case_file = entry.at("case"),
                .shown_by = {}};
  if (e.message.empty()) throw std::invalid_argument("expected a part of the failure's sentence as \"message\", got nothing");
  FindClause(e.clause);
  e.shown_by = LoadCase(folder / e.case_file);
  ExpectShown(e);
  return e;
}

/// Does "2.13.0+cpu" begin with "2.13"? "2.130" does not.
bool IsRelease(const std::string& version, const std::string& release) {
  return version.starts_with(release) && (version.size() == release.size() || !std::isalnum(static_cast<unsigned char>(version[release.size()])));
}

}  // namespace

ExpectationsFile LoadExpectations(const std::string& path) {
  std::ifstream in(path);
  if (!in || fs::is_directory(path)) throw UsageError(fmt::format("--expect: expected a file that can be read, got {}; check the path", path));
  ExpectationsFile file{.path = path, .subject = "", .entries = {}};
  std::string place = "the file";
  try {
    const json content = json::parse(in);
    ExpectKeys(content, {"subject", "entries"});
    file.subject = content.at("subject");
    for (const json& entry : content.at("entries")) {
      place = fmt::format("entry {}", file.entries.size() + 1);
      file.entries.push_back(EntryFrom(entry, fs::path(path).parent_path()));
    }
  } catch (const std::exception& wrong) {  // json's own, of enums, of clauses, of cases
    throw UsageError(fmt::format("--expect {}: {}: {}", path, place, wrong.what()));
  }
  return file;
}

json ToJson(const Expectation& e) {
  json when = json::object();
  if (!e.when.world_sizes.empty()) when["world_sizes"] = e.when.world_sizes;
  if (!e.when.precisions.empty()) when["precisions"] = Names(e.when.precisions);
  if (!e.when.launchers.empty()) when["launchers"] = Names(e.when.launchers);
  if (!e.when.versions.empty()) when["versions"] = e.when.versions;
  if (!e.when.features.empty()) when["features"] = e.when.features;
  return {{"clause", e.clause}, {"when", when},   {"result", ToString(e.result)}, {"message", e.message},
          {"issue", e.issue},   {"date", e.date}, {"case", e.case_file}};
}

void SaveExpectations(const ExpectationsFile& file) {
  json content = {{"subject", file.subject}, {"entries", json::array()}};
  for (const Expectation& e : file.entries) content["entries"].push_back(ToJson(e));
  std::ofstream out(file.path);
  out << content.dump(2) << '\n';
  if (!out.flush()) throw UsageError(fmt::format("--expect: expected a place that can be written, got {}; choose another", file.path));
}

bool Covers(const Expectation& e, const std::string& clause, const Stratum& stratum, const std::string& version) {
  const bool released = std::ranges::any_of(e.when.versions, [&](const std::string& release) { return IsRelease(version, release); });
  return e.clause == clause && Allows(e.when.world_sizes, stratum.world_size) && Allows(e.when.precisions, stratum.precision) &&
         Allows(e.when.launchers, stratum.launcher) && (e.when.versions.empty() || released);
}

bool Expects(const Expectation& e, const Failure& failure) {
  return failure.result == e.result && failure.finding.sentence.find(e.message) != std::string::npos && HasAll(failure.c, e.when.features);
}

}  // namespace zerocts
