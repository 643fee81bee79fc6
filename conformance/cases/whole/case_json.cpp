#include "conformance/cases/whole/case_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/cases/dimensions/dimension.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_dump.hpp"
#include "reference/experiment/json_form.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/experiment/user_file.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

/// Does the file use old names, which scripts/rename_case_file.py renames? Goes at 1.0, with that program.
bool HasOldNames(const json& value) {
  const auto sync = value.find("gradient_sync");
  return value.contains("mistake") || value.contains("mistaken_option") ||
         (sync != value.end() && (*sync == "each" || *sync == "last"));
}

}  // namespace

json ToJson(const Case& c) {
  json object = {{"clause", c.clause}, {"fidelity", ToString(c.fidelity)}, {"experiment", ToJson(c.experiment)}};
  const auto described = [](const CaseField& field, const Case& with) {
    json only = json::object();
    JsonForm form(only);
    field.describe(form, const_cast<Case&>(with));
    return only;
  };
  const Case usual;
  for (const Dimension& dimension : Dimensions()) {
    for (const CaseField& field : dimension.form.fields) {
      const json only = described(field, c);
      if (field.needed || only != described(field, usual)) object.update(only);
    }
  }
  return object;
}

Case CaseFromJson(const json& value) {
  JsonFields fields(value, "case");
  JsonForm form(fields);
  Case c;
  c.clause = fields.Text("clause");
  c.fidelity = FidelityFromString(fields.Text("fidelity"));
  c.experiment = ExperimentFromJson(fields.Any("experiment"));
  for (const Dimension& dimension : Dimensions()) {
    for (const CaseField& field : dimension.form.fields) {
      if (field.needed || fields.Has(field.name)) field.describe(form, c);
    }
  }
  fields.ExpectNoOthers();
  const std::string problem = Problem(c);
  if (!problem.empty()) throw std::invalid_argument(problem);
  return c;
}

void SaveCase(const Case& c, const std::string& path) {
  if (ReplaceFile(path, {Dumped(ToJson(c), 2), "\n"}) != 0) {
    throw std::runtime_error("case file " + path +
                             ": expected a file that can be written; check the folder and its permissions");
  }
}

Case LoadCase(const std::string& path) {
  const std::optional<std::string> text = JsonFileText(path);
  if (!text) throw std::runtime_error("case file " + path + ": expected a file that can be read; check the path");
  try {
    const json value = ParseJson(*text);
    if (HasOldNames(value))
      throw std::invalid_argument("it has names from before 1.0; scripts/rename_case_file.py renames them");
    return CaseFromJson(value);
  } catch (const JsonTextError& wrong) {
    throw std::runtime_error("case file " + path + ": " + wrong.what() + "; make the case again");
  } catch (const std::invalid_argument& wrong) {
    throw std::runtime_error("case file " + path + ": " + wrong.what());
  }
}

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << Summary(c) << "\n" << Dumped(ToJson(c)); }

}  // namespace zerocts
