// The order in which gradients are added, and with it how equal the result must be.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

const std::vector<std::string> kOrders = {"any", "rank", "ring", "tree", "probed"};

std::string BeyondOrders(const Case& c, const Capabilities& can) {
  const Precision precision = c.experiment.precision;
  const std::vector<std::string> orders = AtPrecision(can, precision).reduction_orders;
  if (c.reduction_order == "any" || Contains(orders, c.reduction_order)) return "";
  return Beyond(fmt::format("the reduction order {} of {} parameters", c.reduction_order, ToString(precision)), orders);
}

/// Nobody declares that any order will do.
NamedValues Orders() {
  return WithAlways("any",
                    ListedValues(&Capabilities::reduction_orders, [](const Case& c) { return c.reduction_order; }));
}

void DescribeOrder(JsonForm& form, Case& c) {
  form.Field("reduction_order", c.reduction_order);
  form.Expect("reduction_order", Contains(kOrders, c.reduction_order),
              fmt::format("one of {}", fmt::join(kOrders, ", ")));
}

/// False when the stage has no order that the data need.
bool DrawOrder(Drawing& drawing) {
  Case& c = drawing.c;
  std::vector<std::string> orders = drawing.allowed.reduction_orders;
  // In stage 0 an element has no owner, from which a ring's order starts; beside tensor ranks it may have several.
  if (c.stage == 0 || c.tensor > 1) std::erase(orders, "ring");
  c.fidelity = FidelityOf(drawing.space, drawing.e);
  if (drawing.space.bounded() || IsExact(drawing.e)) {
    std::erase(orders, "probed");  // there is nothing to reveal
    orders.push_back("any");
  }
  if (orders.empty()) return false;
  c.reduction_order = drawing.draws.Pick(orders);
  return true;
}

}  // namespace

Dimension ReductionOrderDimension() {
  return {.name = "reduction order",
          .values = ChosenBy(
              "order", "The order in which gradients are added (any: test only sums that are exact in every order)",
              kOrders, Orders()),
          .form = {.fields = {{.name = "reduction_order", .describe = DescribeOrder}}},
          .declared = {.beyond = BeyondOrders,
                       .probes = ProbeForEach<std::string>({"rank", "ring", "tree"},
                                                           [](Case& c, const std::string& order) {
                                                             if (order != "ring" || c.stage > 0)
                                                               c.reduction_order = order;
                                                           })},
          .drawn = {.draw = DrawOrder}};
}

}  // namespace zerocts
