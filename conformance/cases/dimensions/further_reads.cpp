// How often parameters are read back: also before the step, or twice after it.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool DrawFurtherReads(Drawing& drawing) {
  if (!drawing.varied) return true;
  drawing.c.read_before_step = drawing.draws.Percent(50);
  drawing.c.read_twice = drawing.draws.Percent(50);
  return true;
}

void FewerReads(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.read_before_step = false; });
  simpler.Try([](Case& c, Experiment&) { c.read_twice = false; });
}

std::string NameOfReads(const Case& c) {
  if (c.read_before_step) return c.read_twice ? "both" : "before the step";
  return c.read_twice ? "twice" : "none";
}

}  // namespace

Dimension FurtherReadsDimension() {
  return {
      .name = "further reads",
      .values = ValuesOf({{"none"}, {"before the step"}, {"twice"}, {"both"}}, NameOfReads),
      .form = {.fields = {FieldOf("read_before_step", &Case::read_before_step),
                          FieldOf("read_twice", &Case::read_twice)},
               .features = {{"read_before_step", "parameters are also read between the last micro-batch and the step",
                             [](const Case& c) { return c.read_before_step; }},
                            {"read_twice", "parameters are read twice after a step",
                             [](const Case& c) { return c.read_twice; }}}},
      .drawn = {.on_request = true, .draw = DrawFurtherReads, .simplifications = {{Simplicity::kReads, FewerReads}}}};
}

}  // namespace zerocts
