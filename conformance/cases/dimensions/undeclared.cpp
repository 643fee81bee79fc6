// Whether the subject is asked for what it does not declare. What that is, the probes of the other dimensions say.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool DrawUndeclared(Drawing& drawing) {
  drawing.c.undeclared = drawing.varied;
  return true;
}

}  // namespace

Dimension UndeclaredDimension() {
  return {.name = "undeclared",
          .form = {.fields = {NewerField(FieldOf("undeclared", &Case::undeclared))},
                   .features = {{"undeclared", "the subject is asked for what it does not declare",
                                 [](const Case& c) { return c.undeclared; }}}},
          .drawn = {.on_request = true, .draw = DrawUndeclared}};
}

}  // namespace zerocts
