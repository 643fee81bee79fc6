// In which order parameters are read back.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

template <ReadOrder order>
bool IsRead(const Case& c) {
  return c.read_order == order;
}

bool DrawReadOrder(Drawing& drawing) {
  using enum ReadOrder;
  if (drawing.varied) drawing.c.read_order = drawing.draws.Pick<ReadOrder>({kForward, kReversed, kShuffled});
  return true;
}

void ReadForward(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.read_order = ReadOrder::kForward; });
}

}  // namespace

Dimension ReadOrderDimension() {
  return {
      .name = "read order",
      .values =
          ValuesOf({{"forward"}, {"reversed"}, {"shuffled"}}, [](const Case& c) { return ToString(c.read_order); }),
      .form = {.fields = {FieldOf("read_order", &Case::read_order, ReadOrderFromString)},
               .features = {{"read_reversed", "parameters are read back last to first", IsRead<ReadOrder::kReversed>},
                            {"read_shuffled", "parameters are read back in a random order",
                             IsRead<ReadOrder::kShuffled>}}},
      .drawn = {.on_request = true, .draw = DrawReadOrder, .simplifications = {{Simplicity::kReads, ReadForward}}}};
}

}  // namespace zerocts
