// What happens to a file of the checkpoint before it is loaded.
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool IsDamaged(const Case& c) { return c.checkpoint && c.checkpoint->damage; }

/// Every case of a clause that asks for it has a damage.
bool DrawDamage(Drawing& drawing) {
  if (!drawing.varied) return true;
  if (!drawing.c.checkpoint) return false;
  Draws& draws = drawing.draws;
  const Damage what = draws.Pick<Damage>({Damage::kMissing, Damage::kCut});
  drawing.c.checkpoint->damage = {what, draws.Between(0, 15)};
  return true;
}

std::string KindOfDamage(const Case& c) { return IsDamaged(c) ? ToString(c.checkpoint->damage->what) : "none"; }

}  // namespace

Dimension CheckpointDamageDimension() {
  return {.name = "checkpoint damage",
          .values = ValuesIf(&Capabilities::checkpoint, {"none", "missing", "cut"}, KindOfDamage),
          .form = {.features = {{"damaged", "a file of the checkpoint is missing or cut off when it is loaded",
                                 IsDamaged}}},
          .declared = {.requirements = {NeedsFlag({"damaged"}, "checkpoint", &Capabilities::checkpoint)}},
          .drawn = {.on_request = true, .draw = DrawDamage}};
}

}  // namespace zerocts
