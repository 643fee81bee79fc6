#include "conformance/cases/case/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "conformance/cases/case/counted.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<Fidelity> kFidelityNames[] = {
    {Fidelity::kBitwise, "bitwise"},          {Fidelity::kDeclaredOrder, "declared order"},
    {Fidelity::kExactInputs, "exact inputs"}, {Fidelity::kSelfParity, "self parity"},
    {Fidelity::kBounded, "bounded"},
};

constexpr EnumName<ReadOrder> kReadOrderNames[] = {
    {ReadOrder::kForward, "forward"}, {ReadOrder::kReversed, "reversed"}, {ReadOrder::kShuffled, "shuffled"}};

bool HasExtraCall(const Case& c, int64_t step, ExtraCallKind kind) {
  return std::ranges::any_of(c.extra_calls,
                             [=](const ExtraCall& call) { return call.step == step && call.kind == kind; });
}

}  // namespace

std::string ToString(Fidelity fidelity) { return NameOf(kFidelityNames, fidelity); }
Fidelity FidelityFromString(const std::string& name) { return FromName(kFidelityNames, "fidelity", name); }

std::string ToString(ReadOrder order) { return NameOf(kReadOrderNames, order); }
ReadOrder ReadOrderFromString(const std::string& name) { return FromName(kReadOrderNames, "read_order", name); }

FoldShape ShapeOf(const Case& c) { return {c.data_ranks(), c.experiment.micro_batches, c.replicas, c.gradient_sync}; }

FoldShape ShapeOfExpert(const Case& c) {
  return {c.data_ranks() / c.experiment.experts.count, c.experiment.micro_batches, c.replicas, c.gradient_sync};
}

Fold OfExpert(const Case& c, int expert, Fold fold) {
  const int count = c.experiment.experts.count;
  const int micro_batches = c.experiment.micro_batches;
  if (fold.leaf >= 0) {
    const int rank = expert + fold.leaf / micro_batches * count;
    fold.leaf = rank * micro_batches + fold.leaf % micro_batches;
  }
  for (Fold& child : fold.children) child = OfExpert(c, expert, std::move(child));
  return fold;
}

bool ResumesAfter(const Case& c, int64_t step) {
  const bool loads = c.checkpoint && (c.checkpoint->how == CheckpointUse::kResume || LoadsOnly(c));
  if ((loads && c.checkpoint->after_step == step) || HasExtraCall(c, step + 1, ExtraCallKind::kResume)) return true;
  const ExtraCall* saved = SavedForReturn(c);
  return saved && saved->step == step + 1 &&
         std::ranges::count(c.extra_calls, ExtraCallKind::kReturn, &ExtraCall::kind) > 0;
}

const ExtraCall* SavedForReturn(const Case& c) {
  const auto saved =
      std::ranges::find_if(c.extra_calls, [](const ExtraCall& call) { return call.saves() && call.step > 0; });
  return saved == c.extra_calls.end() ? nullptr : &*saved;
}

bool HasCheckpoints(const Case& c) { return c.checkpoint || std::ranges::any_of(c.extra_calls, &ExtraCall::saves); }

bool ReadsWithin(const Case& c, int64_t step) {
  return (step >= 0 && c.read_before_step) || HasExtraCall(c, step, ExtraCallKind::kRead);
}

int64_t FirstStep(const Case& c) { return LoadsOnly(c) ? c.checkpoint->after_step + 1 : 0; }

std::string Summary(const Case& c) {
  const Experiment& e = c.experiment;
  std::string text = fmt::format("W={}", c.world_size());
  if (c.replicas > 1) text += fmt::format(" ({} replicas)", c.replicas);
  if (c.tensor > 1) text += fmt::format(" ({} tensor ranks)", c.tensor);
  if (e.experts.count > 1) text += fmt::format(" ({} experts)", e.experts.count);
  text += fmt::format(" K={}", e.micro_batches);
  if (c.gradient_sync != GradientSync::kLastMicroBatch) text += fmt::format(" ({})", ToString(c.gradient_sync));
  text += fmt::format(" stage {} {} {}, {}, {} ({})", c.stage, ToString(e.precision), ToString(e.optimizer),
                      Counted(e.steps, "step"), Counted(static_cast<int64_t>(e.parameters.size()), "parameter"),
                      Counted(TotalNumel(e), "element"));
  if (c.overlap != Overlap::kAny) text += ", overlap " + ToString(c.overlap);
  if (c.offload != Offload::kNone) text += ", offload " + ToString(c.offload);
  if (c.checkpoint) text += fmt::format(", {} after step {}", ToString(c.checkpoint->how), c.checkpoint->after_step);
  if (c.checkpoint && c.checkpoint->other_world_size > 0)
    text += fmt::format(" ({} W={})", IsResharded(c) ? "to" : "of", c.checkpoint->other_world_size);
  if (c.checkpoint && c.checkpoint->damage) text += fmt::format(", a file {}", ToString(c.checkpoint->damage->what));
  constexpr size_t kMostCalls = 6;
  for (const ExtraCall& call : c.extra_calls | std::views::take(kMostCalls)) text += ", " + ToString(call);
  if (c.extra_calls.size() > kMostCalls) text += fmt::format(" and {} more calls", c.extra_calls.size() - kMostCalls);
  return text;
}

}  // namespace zerocts
