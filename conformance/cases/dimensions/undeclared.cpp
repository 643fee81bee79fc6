// Whether the subject is asked for what it does not declare. What that is, the asks of the other dimensions say.
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
          .on_request = true,
          .fields = {NewerField(FieldOf("undeclared", &Case::undeclared))},
          .features = {{"undeclared", "the subject is asked for what it does not declare",
                        [](const Case& c) { return c.undeclared; }}},
          .draw = DrawUndeclared};
}

}  // namespace zerocts
