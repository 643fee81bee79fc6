// When gradients are reduced: after the last micro-batch of a step, or after each.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool SyncsEveryMicroBatch(const Case& c) {
  return c.gradient_sync == GradientSync::kEveryMicroBatch && c.experiment.micro_batches > 1;
}
bool SyncsLastMicroBatch(const Case& c) {
  return c.gradient_sync == GradientSync::kLastMicroBatch && c.experiment.micro_batches > 1;
}

/// Where nothing is declared it is "last_micro_batch".
std::vector<GradientSync> SyncsOf(const Capabilities& can) {
  return can.gradient_sync.empty() ? std::vector{GradientSync::kLastMicroBatch} : can.gradient_sync;
}

bool ReducesOnce(const RunTerms& terms) { return Contains(SyncsOf(terms.can), GradientSync::kLastMicroBatch); }

/// One micro-batch is the last, and each.
std::string BeyondSync(const Case& c, const Capabilities& can) {
  return c.experiment.micro_batches == 1 ? "" : Unlisted("gradient_sync", c.gradient_sync, can.gradient_sync);
}

/// One who always reduces after every micro-batch has no other cases; "last_micro_batch" where nothing is declared.
bool DrawSync(Drawing& drawing) {
  const std::vector<GradientSync>& available = drawing.can.gradient_sync;
  if (available.empty()) return true;
  if (!Contains(available, GradientSync::kLastMicroBatch)) drawing.c.gradient_sync = available.front();
  if (drawing.varied) drawing.c.gradient_sync = drawing.draws.Pick(available);
  return true;
}

void TellSync(const Case& c, zerocts_open_args& args) {
  args.gradient_sync = c.gradient_sync == GradientSync::kEveryMicroBatch ? ZEROCTS_SYNC_EVERY_MICRO_BATCH
                                                                         : ZEROCTS_SYNC_LAST_MICRO_BATCH;
}

void SyncLast(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.gradient_sync = GradientSync::kLastMicroBatch; });
}

NamedValues SyncsOfSubject() {
  return {.of = [](const Case& c) { return ToString(c.gradient_sync); },
          .available = [](const RunTerms& terms) { return NamesOf(SyncsOf(terms.can)); }};
}

}  // namespace

Dimension GradientSyncDimension() {
  using C = Capabilities;
  return {
      .name = "gradient sync",
      .values = SyncsOfSubject(),
      .form = {.fields = {NewerField(FieldOf("gradient_sync", &Case::gradient_sync, GradientSyncFromString))},
               .tell = TellSync,
               .features = {{"sync_every_micro_batch", "gradients are reduced after each of two or more micro-batches",
                             SyncsEveryMicroBatch},
                            {"sync_last_micro_batch", "gradients are reduced once for two or more micro-batches",
                             SyncsLastMicroBatch}}},
      .declared = {.requirements = {NeedsFlag({"sync_every_micro_batch", "sync_last_micro_batch"}, "accumulation",
                                              &C::accumulation),
                                    {{"sync_last_micro_batch"}, "gradient_sync last_micro_batch", ReducesOnce},
                                    NeedsEntry({"sync_every_micro_batch"}, "gradient_sync every_micro_batch",
                                               &C::gradient_sync, GradientSync::kEveryMicroBatch)},
                   .capabilities = {DeclaresEntry("gradient_sync every_micro_batch", &C::gradient_sync,
                                                  GradientSync::kEveryMicroBatch)},
                   .beyond = BeyondSync,
                   .probes = ProbeForEach<GradientSync>({GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch},
                                                        [](Case& c, GradientSync sync) {
                                                          c.experiment.micro_batches = 2;
                                                          c.gradient_sync = sync;
                                                        })},
      .drawn = {.on_request = true, .draw = DrawSync, .simplifications = {{Simplicity::kArrangement, SyncLast}}}};
}

}  // namespace zerocts
