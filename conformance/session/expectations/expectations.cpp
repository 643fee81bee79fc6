#include "conformance/session/expectations/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/dimensions/names_of.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/host/system/errors.hpp"
#include "reference/experiment/json_readers.hpp"
#include "reference/experiment/json_text.hpp"

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

/// The texts of a list that may be absent, each turned into an item.
template <typename Item>
std::vector<Item> Listed(JsonFields& fields, const char* name, Item (*from_text)(const std::string&)) {
  if (!fields.Has(name)) return {};
  return ItemsFrom<Item>(fields, name, [&](const json& value, const std::string& path) {
    if (!value.is_string()) ThrowUnexpected(path, "text", value);
    return from_text(value.get_ref<const std::string&>());
  });
}

std::string AnyText(const std::string& text) { return text; }

std::string KnownFeature(const std::string& feature) {
  if (std::ranges::none_of(FeatureMeanings(), [&](const auto& known) { return known.first == feature; })) {
    throw std::invalid_argument(fmt::format("expected features that zerocts explain names, got \"{}\"", feature));
  }
  return feature;
}

std::string OptionText(const std::string& option) {
  if (option.find('=') == std::string::npos || option.starts_with('='))
    throw std::invalid_argument(fmt::format("expected options key=value, got \"{}\"", option));
  return option;
}

int WorldSizeFrom(const json& value, const std::string& path) {
  const int64_t size = IntegerFrom(value, path);
  if (size < 1 || size > INT32_MAX) ThrowUnexpected(path, "a world size", value);
  return static_cast<int>(size);
}

ExpectedWhere WhereFrom(const json& value, const std::string& path) {
  JsonFields fields(value, path);
  ExpectedWhere where;
  if (fields.Has("world_sizes")) where.world_sizes = ItemsFrom<int>(fields, "world_sizes", WorldSizeFrom);
  where.precisions = Listed(fields, "precisions", PrecisionFromString);
  where.launchers = Listed(fields, "launchers", LauncherKindFromString);
  where.versions = Listed(fields, "versions", AnyText);
  where.features = Listed(fields, "features", KnownFeature);
  where.options = Listed(fields, "options", OptionText);
  where.without_options = Listed(fields, "without_options", OptionText);
  fields.ExpectNoOthers();
  return where;
}

/// The case must show the entry: of its clause, where it says.
void ExpectShown(const Expectation& e) {
  if (e.shown_by.clause != e.clause) {
    throw std::invalid_argument(
        fmt::format("expected a case of {}, got one of {} in {}", e.clause, e.shown_by.clause, e.case_file));
  }
  const bool is_there =
      Allows(e.when.world_sizes, e.shown_by.world_size()) && Allows(e.when.precisions, e.shown_by.experiment.precision);
  if (!is_there || !HasAll(e.shown_by, e.when.features)) {
    throw std::invalid_argument(
        fmt::format("expected a case that its \"when\" covers, got {} in {}", Summary(e.shown_by), e.case_file));
  }
}

/// All but what the case shows.
Expectation EntryFrom(const json& entry, const std::string& path) {
  JsonFields fields(entry, path);
  Expectation e;
  e.clause = fields.Text("clause");
  if (fields.Has("when")) e.when = WhereFrom(fields.Any("when"), fields.PathOf("when"));
  e.result = EnumFrom(fields, "result", ResultFromString);
  e.message = fields.Text("message");
  e.issue = fields.Text("issue");
  e.date = fields.Text("date");
  e.case_file = fields.Text("case");
  fields.ExpectNoOthers();
  if (e.message.empty())
    throw std::invalid_argument(fields.PathOf("message") + ": expected a part of the failure's sentence, got nothing");
  FindClause(e.clause);
  return e;
}

ExpectationsFile ExpectationsFrom(const json& content) {
  JsonFields fields(content, "file");
  ExpectationsFile file;
  file.subject = fields.Text("subject");
  file.entries = ItemsFrom<Expectation>(fields, "entries", EntryFrom);
  fields.ExpectNoOthers();
  return file;
}

/// Does "2.13.0+cpu" begin with "2.13"? "2.130" does not.
bool IsRelease(const std::string& version, const std::string& release) {
  return version.starts_with(release) &&
         (version.size() == release.size() || !std::isalnum(static_cast<unsigned char>(version[release.size()])));
}

}  // namespace

ExpectationsFile ExpectationsFromText(const std::string& text) {
  try {
    return ExpectationsFrom(ParseJson(text));
  } catch (const std::logic_error& wrong) {  // of texts, fields, names, clauses
    throw UsageError(wrong.what());
  }
}

ExpectationsFile LoadExpectations(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw UsageError(fmt::format("--expect: expected a file that can be read, got {}; check the path", path));
  std::string where;
  try {
    ExpectationsFile file = ExpectationsFromText(*text);
    file.path = path;
    for (Expectation& entry : file.entries) {
      where = fmt::format("file.entries[{}]: ", &entry - file.entries.data());
      entry.shown_by = LoadCase(fs::path(path).parent_path() / entry.case_file);
      ExpectShown(entry);
    }
    return file;
  } catch (const std::exception& wrong) {  // UsageError; of cases, and ExpectShown's
    throw UsageError(fmt::format("--expect {}: {}{}", path, where, wrong.what()));
  }
}

json ToJson(const Expectation& e) {
  json when = json::object();
  if (!e.when.world_sizes.empty()) when["world_sizes"] = e.when.world_sizes;
  if (!e.when.precisions.empty()) when["precisions"] = NamesOf(e.when.precisions);
  if (!e.when.launchers.empty()) when["launchers"] = NamesOf(e.when.launchers);
  if (!e.when.versions.empty()) when["versions"] = e.when.versions;
  if (!e.when.features.empty()) when["features"] = e.when.features;
  if (!e.when.options.empty()) when["options"] = e.when.options;
  if (!e.when.without_options.empty()) when["without_options"] = e.when.without_options;
  return {{"clause", e.clause}, {"when", when},   {"result", ToString(e.result)}, {"message", e.message},
          {"issue", e.issue},   {"date", e.date}, {"case", e.case_file}};
}

void SaveExpectations(const ExpectationsFile& file) {
  json content = {{"subject", file.subject}, {"entries", json::array()}};
  for (const Expectation& e : file.entries) content["entries"].push_back(ToJson(e));
  std::ofstream out(file.path);
  out << content.dump(2) << '\n';
  if (!out.flush())
    throw UsageError(fmt::format("--expect: expected a place that can be written, got {}; choose another", file.path));
}

bool IsAboutOptions(const Expectation& e, const SubjectOfRun& subject) {
  const auto is_given = [&](const std::string& option) {
    return std::ranges::any_of(subject.options,
                               [&](const auto& given) { return given.first + "=" + given.second == option; });
  };
  return std::ranges::all_of(e.when.options, is_given) && std::ranges::none_of(e.when.without_options, is_given);
}

bool Covers(const Expectation& e, const std::string& clause, const Configuration& configuration,
            const SubjectOfRun& subject) {
  const auto is_version = [&](const std::string& release) { return IsRelease(subject.version, release); };
  return e.clause == clause && Allows(e.when.world_sizes, configuration.world_size) &&
         Allows(e.when.precisions, configuration.precision) && Allows(e.when.launchers, configuration.launcher) &&
         (e.when.versions.empty() || std::ranges::any_of(e.when.versions, is_version)) && IsAboutOptions(e, subject);
}

bool Expects(const Expectation& e, const Failure& failure) {
  return failure.result == e.result && failure.finding.sentence.find(e.message) != std::string::npos &&
         HasAll(failure.c, e.when.features);
}

}  // namespace zerocts
