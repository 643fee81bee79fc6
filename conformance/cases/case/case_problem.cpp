// What makes a case senseless: its experiment, or how that is arranged.
#include <algorithm>
#include <bit>

#include "conformance/cases/case/case_size.hpp"
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/case/reshard.hpp"
#include "reference/experiment/problem_sentences.hpp"

namespace zerocts {
namespace {

constexpr int kMostTensorRanks = 1 << 10;

std::string ReplicasProblem(const Case& c) {
  if (c.replicas < 1 || c.data_ranks() % c.replicas != 0) {
    return Sentence("case.replicas", "a divisor of the world size " + std::to_string(c.data_ranks()), c.replicas);
  }
  if (c.stage == 0 && c.replicas > 1) {
    return Sentence("case.replicas", "1 in stage 0, which has no sharding groups", c.replicas);
  }
  return "";
}

/// What is asked of a subject that does not declare it may have given gradients: it is to be refused before them.
std::string TensorProblem(const Case& c) {
  const auto expected = [&](const std::string& what) { return Sentence("case.tensor", what, c.tensor); };
  if (c.tensor < 1 || c.tensor > kMostTensorRanks) {
    return expected("1 to " + std::to_string(kMostTensorRanks));
  }
  if (c.undeclared) return "";
  if (c.tensor_parts != PartSizes::kEven && (c.tensor == 1 || c.fidelity != Fidelity::kBounded)) {
    return Sentence("case.tensor_parts", "even but where layers are split and judged by a bound, for slices are even",
                    ToString(c.tensor_parts));
  }
  if (c.tensor == 1) return "";
  if (!c.experiment.model) return expected("1 where gradients are given, for there is no layer to split");
  const SliceOrder& order = SliceOrderOf(*c.experiment.model);
  if (order.slices % c.tensor != 0) return expected("a divisor of the slices in " + ToString(order));
  if (c.reduction_order == "ring") {
    return expected("1 in the order ring, whose first owner of what is replicated differs between tensor ranks");
  }
  return "";
}

/// What the ranks of an expert would be beside tensor ranks, or by a plan that knows one group, nothing says.
std::string ExpertsProblem(const Case& c) {
  const int count = c.experiment.experts.count;
  if (count == 1) return "";
  const auto expected = [&](const std::string& what) { return Sentence("case.experiment.experts.count", what, count); };
  if (c.tensor > 1 || IsPlanFile(c.plan)) return expected("1 beside tensor ranks, and where a file is the plan");
  if (c.shards() % count != 0) return expected(fmt::format("a divisor of the {} ranks of a replica", c.shards()));
  return "";
}

std::string OffloadProblem(const Case& c) {
  if (c.offload == Offload::kNone || c.stage > 0) return "";
  return Sentence("case.offload", "none in stage 0, in which no rank has a shard to keep on the host",
                  ToString(c.offload));
}

std::string MemoryEstimateProblem(const Case& c) {
  if (!c.observe_memory_estimate || c.observe_memory) return "";
  return Sentence("case.observe_memory_estimate", "false where observe_memory is false", "true");
}

/// Where the data is divided anew the sums must be exact, for one order of addition cannot be that of both groups.
std::string ReshardProblem(const Case& c) {
  const auto expected = [&](const char* field, const std::string& what, const auto& got) {
    return Sentence(std::string("case.checkpoint.") + field, what, got);
  };
  const int other = c.checkpoint->other_world_size;
  if (!IsResharded(c) && !LoadsOnly(c)) {
    return other == 0 ? "" : expected("other_world_size", "none where the same ranks load", other);
  }
  if (other < 1 || other == c.world_size()) {
    return expected("other_world_size", "another number of ranks than " + std::to_string(c.world_size()), other);
  }
  const int other_tensor = c.checkpoint->other_tensor;
  if (other_tensor < 0 || (other_tensor > 0 && other != c.data_ranks() * other_tensor)) {
    return expected("other_tensor",
                    "a number of tensor ranks for each of the " + std::to_string(c.data_ranks()) +
                        " data ranks, which are together other_world_size, or 0",
                    other_tensor);
  }
  if (c.tensor > 1 && other_tensor == 0) {
    return expected("other_tensor", "1 or more where layers are split", other_tensor);
  }
  if (other_tensor == 0 && !IsExact(c.experiment)) {
    return expected("how", "another one because the sums show their order", ToString(c.checkpoint->how));
  }
  const std::string problem = IsResharded(c) ? Problem(LoadingRun(c)) : "";
  return problem.empty() ? "" : "the run that loads: " + problem;
}

std::string CheckpointProblem(const Case& c) {
  if (!c.checkpoint) return "";
  if (c.checkpoint->damage && c.checkpoint->how != CheckpointUse::kResume) {
    return Sentence("case.checkpoint.damage", "none where nothing is loaded", ToString(c.checkpoint->damage->what));
  }
  const int64_t step = c.checkpoint->after_step, last = c.experiment.steps - 1;
  if (step < 0 || step > last) {
    return Sentence("case.checkpoint.after_step", "a step from 0 to " + std::to_string(last), step);
  }
  return ReshardProblem(c);
}

/// Between the calls that train, in their order. What is saved before the first step nobody loads.
std::string ExtraCallsProblem(const Case& c) {
  const Experiment& e = c.experiment;
  const ExtraCall* last = nullptr;
  for (const ExtraCall& call : c.extra_calls) {
    const auto expected = [&](const std::string& what) { return Sentence("case.extra_calls", what, ToString(call)); };
    if (call.step < 0 || call.step >= e.steps || call.micro_batches < 0 || call.micro_batches > e.micro_batches)
      return expected(fmt::format("calls in a step below {} after 0 to {} micro-batches", e.steps, e.micro_batches));
    if (last && call.place() < last->place()) return expected("calls in the order in which they are made");
    if (call.kind == ExtraCallKind::kResume && call.step == 0)
      return expected("a step behind the first for what is loaded");
    if (call.kind == ExtraCallKind::kReturn && (!SavedForReturn(c) || SavedForReturn(c) >= &call))
      return expected("a save after a step before what returns to it");
    if (c.checkpoint) return expected("none beside a checkpoint");
    if (call.kind == ExtraCallKind::kEarlyStep && call.micro_batches == e.micro_batches)
      return expected("an early step before the last micro-batch");
    if (call.kind == ExtraCallKind::kRepeatedMicroBatch && !call.in_window())
      return expected("a micro-batch before one that is repeated");
    if (call.gives_micro_batch() && e.gradients == GradientSource::kModel)
      return expected("micro-batches whose gradients are given");
    last = &call;
  }
  return "";
}

/// Where the order is to be revealed, no other choice of the subject's may show in its bits.
std::string ProbeProblem(const Case& c) {
  const Experiment& e = c.experiment;
  if (c.reduction_order != "probed" || IsExact(e)) return "";
  const auto named_order = [&](const std::string& because) {
    return Sentence("case.reduction_order", "rank, ring or tree because " + because, c.reduction_order);
  };
  if (e.gradients == GradientSource::kModel) return named_order("a model's own backward pass has no probe data");
  if (!std::has_single_bit(static_cast<unsigned>(e.micro_batches))) {
    return named_order("1 / " + std::to_string(e.micro_batches) + ", by which a rank may multiply first, is rounded");
  }
  if (e.accumulation == Precision::kBf16 || e.reduction == Precision::kBf16)
    return named_order("sums are kept in bf16");
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    const auto names = 1 + std::ranges::count(e.roles.tied, p, &TiedParameter::owner);
    if (names > 2) {
      return named_order(std::to_string(names) + " names of " + e.parameters[static_cast<size_t>(p)].name +
                         " are added in an order of their own");
    }
  }
  return "";
}

/// A parameter of which zeros are given is updated, by a decay for instance.
std::string MissingAsNullProblem(const Case& c) {
  if (c.missing_as_null) return "";
  const Experiment& e = c.experiment;
  for (int64_t step = 0; step < e.steps; ++step) {
    for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
      if (!e.roles.HasState(p) || e.roles.IsFrozen(p, step) || IsUpdated(e, p, step)) continue;
      return "case.missing_as_null: expected true because in step " + std::to_string(step) +
             " no micro-batch has a gradient for " + e.parameters[static_cast<size_t>(p)].name +
             ", which zeros do not say, got false";
    }
  }
  return "";
}

std::string InvalidRequestProblem(const Case& c) {
  const bool has_option = c.invalid_option.find('=') != std::string::npos;
  const bool in_open = c.invalid_request != InvalidRequest::kNone && !IsAfterOpen(c.invalid_request);
  if (has_option != in_open)
    return Sentence("case.invalid_option", "key=value where the invalid request is an option or a code, else nothing",
                    c.invalid_option);
  if (c.invalid_request == InvalidRequest::kGradientOfFrozen && c.experiment.roles.frozen.empty())
    return Sentence("case.invalid_request", "another one where nothing is frozen", ToString(c.invalid_request));
  return "";
}

}  // namespace

std::string Problem(const Case& c) {
  if (std::string too_large = SizeProblem(c); !too_large.empty()) return too_large;
  const std::string problem = Problem(c.experiment);
  if (!problem.empty()) return "experiment." + problem;
  return First(ReplicasProblem(c), TensorProblem(c), ExpertsProblem(c), OffloadProblem(c), MemoryEstimateProblem(c),
               CheckpointProblem(c), ExtraCallsProblem(c), MissingAsNullProblem(c), InvalidRequestProblem(c),
               ProbeProblem(c));
}

}  // namespace zerocts
