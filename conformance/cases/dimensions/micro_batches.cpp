// Micro-batches per step and rank: gradient accumulation.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool Accumulates(const Case& c) { return c.experiment.micro_batches >= 2; }
bool AccumulatesInSeveralSteps(const Case& c) { return Accumulates(c) && c.experiment.steps >= 2; }

std::string BeyondAccumulation(const Case& c, const Capabilities& can) {
  return Undeclared("accumulation", Accumulates(c), can.accumulation);
}

bool DrawMicroBatches(Drawing& drawing) {
  if (drawing.can.accumulation) {
    drawing.e.micro_batches = static_cast<int>(drawing.draws.Between(1, drawing.space.max_micro_batches));
  }
  return true;
}

void TellMicroBatches(const Case& c, zerocts_open_args& args) {
  args.micro_batches = static_cast<uint32_t>(c.experiment.micro_batches);
}

void FewerMicroBatches(Simplifying& simpler) {
  for (const int64_t micro_batches : Simplifying::Below(simpler.e.micro_batches, 1)) {
    simpler.Try([&](Case&, Experiment& e) { e.micro_batches = static_cast<int>(micro_batches); });
  }
}

}  // namespace

Dimension MicroBatchesDimension() {
  return {
      .name = "micro-batches",
      .values = ValuesIf(&Capabilities::accumulation, {"one", "two", "many"},
                         [](const Case& c) { return NameOfCount(static_cast<size_t>(c.experiment.micro_batches)); }),
      .form = {.tell = TellMicroBatches,
               .features = {{"accumulation", "each rank adds two or more micro-batches per step", Accumulates},
                            {"multi_window", "two or more steps of two or more micro-batches each",
                             AccumulatesInSeveralSteps}}},
      .declared = {.requirements = {NeedsFlag({"accumulation", "multi_window"}, "accumulation",
                                              &Capabilities::accumulation)},
                   .capabilities = {DeclaresFlag("accumulation", &Capabilities::accumulation)},
                   .beyond = BeyondAccumulation,
                   .probes = {ProbeFor([](Case& c) { c.experiment.micro_batches = 2; })}},
      .drawn = {.draw = DrawMicroBatches, .simplifications = {{Simplicity::kMicroBatches, FewerMicroBatches}}}};
}

}  // namespace zerocts
