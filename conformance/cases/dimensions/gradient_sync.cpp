// When gradients are reduced: after the last micro-batch of a step, or after each.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool SyncsAfterEach(const Case& c) { return c.gradient_sync == GradientSync::kEach && c.experiment.micro_batches > 1; }
bool SyncsOnce(const Case& c) { return c.gradient_sync == GradientSync::kLast && c.experiment.micro_batches > 1; }

/// Where nothing is declared it is "last".
std::vector<GradientSync> SyncsOf(const Capabilities& can) {
  return can.gradient_sync.empty() ? std::vector{GradientSync::kLast} : can.gradient_sync;
}

bool ReducesOnce(const RunTerms& terms) { return Contains(SyncsOf(terms.can), GradientSync::kLast); }

/// One micro-batch is the last, and each.
std::string BeyondSync(const Case& c, const Capabilities& can) {
  return c.experiment.micro_batches == 1 ? "" : Unlisted("gradient_sync", c.gradient_sync, can.gradient_sync);
}

/// One who always reduces after every micro-batch has no other cases; where nothing is declared it is "last".
bool DrawSync(Drawing& drawing) {
  const std::vector<GradientSync>& available = drawing.can.gradient_sync;
  if (available.empty()) return true;
  if (!Contains(available, GradientSync::kLast)) drawing.c.gradient_sync = available.front();
  if (drawing.varied) drawing.c.gradient_sync = drawing.draws.Pick(available);
  return true;
}

void TellSync(const Case& c, zerocts_open_args& args) {
  args.gradient_sync = c.gradient_sync == GradientSync::kEach ? ZEROCTS_SYNC_EACH : ZEROCTS_SYNC_LAST;
}

void SyncLast(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.gradient_sync = GradientSync::kLast; });
}

NamedValues SyncsOfSubject() {
  return {.of = [](const Case& c) { return ToString(c.gradient_sync); },
          .available = [](const RunTerms& terms) { return NamesOf(SyncsOf(terms.can)); }};
}

}  // namespace

Dimension GradientSyncDimension() {
  using C = Capabilities;
  return {.name = "gradient sync",
          .values = SyncsOfSubject(),
          .form = {.fields = {NewerField(FieldOf("gradient_sync", &Case::gradient_sync, GradientSyncFromString))},
                   .tell = TellSync,
                   .features = {{"sync_each", "gradients are reduced after each of two or more micro-batches",
                                 SyncsAfterEach},
                                {"sync_once", "gradients are reduced once for two or more micro-batches", SyncsOnce}}},
          .declared = {.requirements = {NeedsFlag({"sync_each", "sync_once"}, "accumulation", &C::accumulation),
                                        {{"sync_once"}, "gradient_sync last", ReducesOnce},
                                        NeedsEntry({"sync_each"}, "gradient_sync each", &C::gradient_sync,
                                                   GradientSync::kEach)},
                       .capabilities = {DeclaresEntry("gradient_sync each", &C::gradient_sync, GradientSync::kEach)},
                       .beyond = BeyondSync,
                       .probes = ProbeForEach<GradientSync>({GradientSync::kLast, GradientSync::kEach},
                                                            [](Case& c, GradientSync sync) {
                                                              c.experiment.micro_batches = 2;
                                                              c.gradient_sync = sync;
                                                            })},
          .drawn = {.on_request = true, .draw = DrawSync, .simplifications = {{Simplicity::kArrangement, SyncLast}}}};
}

}  // namespace zerocts
