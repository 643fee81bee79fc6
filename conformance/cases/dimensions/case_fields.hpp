// Makes the JSON fields of a dimension from the members of Case that they stand for.
#pragma once
#include "conformance/cases/dimensions/dimension.hpp"
#include "reference/experiment/json_form.hpp"

namespace zerocts {

/// `how`: as of JsonForm::Field.
template <typename Value, typename... How>
CaseField FieldOf(const std::string& name, Value Case::*member, How... how) {
  return {.name = name, .describe = [=](JsonForm& form, Case& c) { form.Field(name, c.*member, how...); }};
}

/// May be missing, and is where it is as usual: texts of older cases, and hashes of them, stay what they are.
inline CaseField NewerField(CaseField field) {
  field.needed = false;
  return field;
}

}  // namespace zerocts
