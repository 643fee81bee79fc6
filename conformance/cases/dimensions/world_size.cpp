// Ranks: fixed by the configuration, and fewer when a case shrinks.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

std::string BeyondRanks(const Case& c, const Capabilities& can) {
  if (can.min_world_size <= c.world_size() && c.world_size() <= can.max_world_size) return "";
  return fmt::format("{} ranks (declared: {} to {})", c.world_size(), can.min_world_size, can.max_world_size);
}

void TellWorldSize(const Case& c, zerocts_open_args& args) { args.world_size = static_cast<uint32_t>(c.world_size()); }

/// The numbers next to those that are declared.
std::vector<UndeclaredProbe> ProbeForOtherNumbers() {
  constexpr int kMostRanks = 8;
  const UndeclaredProbe fewer = [](Case& c, const Capabilities& can) {
    if (can.min_world_size > 1) c.experiment.world_size = can.min_world_size - 1;
  };
  const UndeclaredProbe more = [](Case& c, const Capabilities& can) {
    if (can.max_world_size < kMostRanks) c.experiment.world_size = can.max_world_size + 1;
  };
  return {fewer, more};
}

void FewerRanks(Simplifying& simpler) {
  const int tensor = simpler.c.tensor, fewest = (simpler.min_world_size + tensor - 1) / tensor;
  for (const int64_t ranks : Simplifying::Below(simpler.e.world_size, fewest)) {
    simpler.Try([&](Case& c, Experiment& e) {
      e.world_size = static_cast<int>(ranks);
      if (c.checkpoint && c.checkpoint->other_tensor > 0) LetTensorRanksLoad(c, c.checkpoint->other_tensor);
    });
  }
}

NamedValues RanksOfTheRun() {
  return {
      .of = [](const Case& c) { return NameOfValue(c.world_size()); },
      .available = [](const RunTerms& terms) { return NamesOf(AvailableWorldSizes(terms.world_sizes, terms.can)); }};
}

}  // namespace

Dimension WorldSizeDimension() {
  return {
      .name = "world size",
      .values = RanksOfTheRun(),
      .form = {.tell = TellWorldSize,
               .features = {{"several_ranks", "two ranks or more", [](const Case& c) { return c.world_size() > 1; }}}},
      .declared = {.requirements = {NeedsSeveralRanks({"several_ranks"})},
                   .beyond = BeyondRanks,
                   .probes = ProbeForOtherNumbers()},
      .drawn = {.simplifications = {{Simplicity::kRanks, FewerRanks}}}};
}

}  // namespace zerocts
