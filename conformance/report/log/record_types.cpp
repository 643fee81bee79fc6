#include "conformance/report/log/record_types.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference/experiment/json_fields.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

/// Throws std::invalid_argument when the value at the path is of another type.
using Type = std::function<void(const json& value, const std::string& path)>;

struct Field {
  const char* name;
  Type type;
  bool needed = false;
};

constexpr bool kNeeded = true;
constexpr int64_t kLargestCount = int64_t{1} << 53;

Type Being(const char* expected, bool (json::*is)() const noexcept) {
  return [=](const json& value, const std::string& path) {
    if (!(value.*is)()) ThrowUnexpected(path, expected, value);
  };
}

const Type kText = Being("text", &json::is_string);
const Type kNumber = Being("a number", &json::is_number);
const Type kFlag = Being("true or false", &json::is_boolean);
const Type kList = Being("an array", &json::is_array);

/// Small enough to be added up.
void Count(const json& value, const std::string& path) {
  const int64_t count = IntegerFrom(value, path);
  if (count < -kLargestCount || count > kLargestCount) ThrowUnexpected(path, "an integer of at most 2^53", value);
}

Type ListOf(Type item) {
  return [=](const json& value, const std::string& path) {
    kList(value, path);
    for (size_t i = 0; i < value.size(); ++i) item(value[i], path + "[" + std::to_string(i) + "]");
  };
}

Type MapOf(Type item) {
  return [=](const json& value, const std::string& path) {
    if (!value.is_object()) ThrowUnexpected(path, "an object", value);
    for (const auto& [key, entry] : value.items()) item(entry, path + "." + key);
  };
}

Type ObjectOf(std::vector<Field> known) {
  return [=](const json& value, const std::string& path) {
    JsonFields fields(value, path);
    for (const Field& field : known) {
      if (field.needed || fields.Has(field.name)) field.type(fields.Any(field.name), fields.PathOf(field.name));
    }
  };
}

void TwoCounts(const json& value, const std::string& path) {
  ListOf(Count)(value, path);
  if (value.size() != 2) ThrowUnexpected(path, "two integers", value);
}

void Reproducer(const json& value, const std::string& path) {
  if (value.is_null()) return;
  const bool is_there = !value.is_object() || !value.contains("reason");
  static const Type program =
      ObjectOf({{"file", kText, kNeeded}, {"python", kText, kNeeded}, {"ranks", ListOf(Count), kNeeded}});
  static const Type none = ObjectOf({{"reason", kText}});
  (is_there ? program : none)(value, path);
}

void Known(const json& value, const std::string& path) {
  ObjectOf({{"framework", kText, kNeeded}, {"issue", kText}, {"date", kText}})(value, path);
}

/// How they stood, and what they wrote last.
void Ranks(const json& value, const std::string& path) {
  ListOf(ObjectOf({{"rank", Count}, {"state", kText}, {"output", kText}}))(value, path);
}

/// Adds the fields that name a configuration, in its own record and in that of a failure in it.
std::vector<Field> InConfiguration(std::vector<Field> others) {
  others.insert(others.end(), {{"clause", kText, kNeeded},
                               {"launcher", kText, kNeeded},
                               {"precision", kText, kNeeded},
                               {"world_size", Count, kNeeded}});
  return others;
}

const std::map<std::string, Type>& Records() {
  static const std::map<std::string, Type> records = {
      {"run", ObjectOf({{"subject", ObjectOf({{"name", kText}, {"version", kText}, {"options", MapOf(kText)}})},
                        {"launchers", kList},
                        {"world_sizes", kList},
                        {"families", MapOf(ListOf(kText))},
                        {"machine", MapOf(kText)},
                        {"argv", ListOf(kText)},
                        {"host", kText},
                        {"started", kText},
                        {"version", kText},
                        {"suite_clauses", Count},
                        {"profiles", ListOf(ObjectOf({{"name", kText, kNeeded},
                                                      {"feature", kText, kNeeded},
                                                      {"clauses", ListOf(kText), kNeeded}}))},
                        {"required", ListOf(kText)},
                        {"tier", kText}})},
      {"clause_start", ObjectOf({{"clause", kText, kNeeded},
                                 {"name", kText},
                                 {"sentence", kText},
                                 {"revision", Count},
                                 {"essential", ListOf(ListOf(kText))}})},
      {"configuration", ObjectOf(InConfiguration({{"cases", Count, kNeeded},
                                                  {"result", kText, kNeeded},
                                                  {"reason", kText},
                                                  {"features", MapOf(Count)},
                                                  {"sources", MapOf(Count)},
                                                  {"asked", Count},
                                                  {"asked_elsewhere", kFlag},
                                                  {"seconds", kNumber}}))},
      {"failure", ObjectOf(InConfiguration({{"stale", kFlag},
                                            {"ending", kText},
                                            {"sentence", kText},
                                            {"divergence", kText},
                                            {"first_difference", ObjectOf({{"step", Count, kNeeded},
                                                                           {"phase", kText, kNeeded},
                                                                           {"rank", Count, kNeeded},
                                                                           {"tensor", kText, kNeeded},
                                                                           {"expected", kText, kNeeded},
                                                                           {"got", kText, kNeeded},
                                                                           {"element", Count},
                                                                           {"differing", Count},
                                                                           {"compared", Count},
                                                                           {"note", kText}})},
                                            {"factors", ListOf(kText)},
                                            {"causes", ListOf(kText)},
                                            {"wrong_and_right", kText},
                                            {"drawn_features", ListOf(kText)},
                                            {"fidelity", kText},
                                            {"summary", kText},
                                            {"case_file", kText},
                                            {"subject", kText},
                                            {"choice", MapOf(kText)},
                                            {"options", ListOf(kText)},
                                            {"known", Known},
                                            {"reproducer", Reproducer},
                                            {"ranks", Ranks}}))},
      {"expectation", ObjectOf({{"clause", kText, kNeeded},
                                {"state", kText, kNeeded},
                                {"reason", kText, kNeeded},
                                {"message", kText, kNeeded},
                                {"issue", kText, kNeeded},
                                {"date", kText, kNeeded},
                                {"cases", Count, kNeeded}})},
      {"group_end", ObjectOf({{"phase", kText, kNeeded},
                              {"launcher", kText, kNeeded},
                              {"world_size", Count, kNeeded},
                              {"result", kText, kNeeded},
                              {"sentence", kText},
                              {"ranks", Ranks}})},
      {"note", ObjectOf({{"text", kText, kNeeded},
                         {"groups",
                          ListOf(ObjectOf({{"launcher", kText, kNeeded},
                                           {"world_size", Count, kNeeded},
                                           {"ranks", ListOf(Count), kNeeded}})),
                          kNeeded}})},
      {"clause_end", ObjectOf({{"clause", kText, kNeeded},
                               {"result", kText, kNeeded},
                               {"seconds", kNumber},
                               {"needs", ListOf(kText)},
                               {"asked", ObjectOf({{"cases", Count, kNeeded}, {"features", MapOf(Count), kNeeded}})},
                               {"coverage_minimums", MapOf(TwoCounts)}})},
      {"run_end", ObjectOf({{"verdict", kText},
                            {"exit_code", Count},
                            {"exceptions", Count},
                            {"interrupted", kText},
                            {"seconds", kNumber},
                            {"pairs", ObjectOf({{"possible", Count, kNeeded}, {"missing", ListOf(kText), kNeeded}})},
                            {"diagnosis", ObjectOf({{"candidates",
                                                     ListOf(ObjectOf({{"id", kText, kNeeded},
                                                                      {"title", kText, kNeeded},
                                                                      {"likeness", kNumber, kNeeded},
                                                                      {"fits", ListOf(kText), kNeeded},
                                                                      {"also", ListOf(kText)}})),
                                                     kNeeded},
                                                    {"unlike_clauses", ListOf(kText)},
                                                    {"order", ListOf(kText), kNeeded}})},
                            {"value_pairs", ObjectOf({{"met", Count, kNeeded}, {"possible", Count, kNeeded}})}})},
  };
  return records;
}

}  // namespace

void ExpectRecord(const json& record) {
  const std::string kind = JsonFields(record, "record").Text("record");
  const auto known = Records().find(kind);
  if (known != Records().end()) known->second(record, kind);
}

}  // namespace zerocts
