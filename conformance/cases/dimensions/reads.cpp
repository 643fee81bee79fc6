// How parameters are read back.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool DrawReads(Drawing& drawing) {
  if (!drawing.space.reads) return true;
  Case& c = drawing.c;
  c.read_order = drawing.draws.Pick<ReadOrder>({ReadOrder::kForward, ReadOrder::kReversed, ReadOrder::kShuffled});
  c.read_before_step = drawing.draws.Percent(50);
  c.read_twice = drawing.draws.Percent(50);
  return true;
}

void PlainReads(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.read_order = ReadOrder::kForward; });
  simpler.Try([](Case& c, Experiment&) { c.read_before_step = false; });
  simpler.Try([](Case& c, Experiment&) { c.read_twice = false; });
}

}  // namespace

Dimension ReadsDimension() {
  return {.name = "reads",
          .features = {{"read_reversed", "parameters are read back last to first",
                        [](const Case& c) { return c.read_order == ReadOrder::kReversed; }},
                       {"read_shuffled", "parameters are read back in a random order",
                        [](const Case& c) { return c.read_order == ReadOrder::kShuffled; }},
                       {"read_before_step", "parameters are also read between the last micro-batch and the step",
                        [](const Case& c) { return c.read_before_step; }},
                       {"read_twice", "parameters are read twice after a step",
                        [](const Case& c) { return c.read_twice; }}},
          .draw = DrawReads,
          .simplifications = {{Simplicity::kReads, PlainReads}}};
}

}  // namespace zerocts
