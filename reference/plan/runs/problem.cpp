#include "reference/plan/runs/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

constexpr int64_t kMostTensors = int64_t{1} << 27;    // of all divisions of a state
constexpr int64_t kMostPieceRuns = int64_t{1} << 24;  // of the affine pieces of one division
constexpr int64_t kMostCompared = int64_t{1} << 24;   // runs that are compared one by one

/// a * b, at most kMostElements + 1.
int64_t CappedProduct(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kMostElements / b ? kMostElements + 1 : a * b;
}

int64_t CappedNumel(const std::vector<int64_t>& shape) {
  if (std::count(shape.begin(), shape.end(), 0) > 0) return 0;
  int64_t numel = 1;
  for (const int64_t size : shape) numel = CappedProduct(numel, size);
  return numel;
}

/// Sizes of 0 do not excuse the others: strides are products of some of them.
bool MultiplyBeyond(const std::vector<int64_t>& shape) {
  int64_t product = 1;
  for (const int64_t size : shape) product = CappedProduct(product, std::max<int64_t>(size, 1));
  return product > kMostElements;
}

bool AnyNegative(const std::vector<int64_t>& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; });
}

std::string ProblemOfTensor(const Model& model, size_t index) {
  const Tensor& tensor = model[index];
  if (AnyNegative(tensor.shape) || tensor.shape.size() > 16)
    return fmt::format("tensor {} has shape [{}]: expected up to 16 sizes of at least 0", tensor.name,
                       fmt::join(tensor.shape, ", "));
  if (CappedNumel(tensor.shape) == 0 && MultiplyBeyond(tensor.shape))
    return fmt::format("tensor {} has sizes whose product, without those of 0, is beyond 2^56", tensor.name);
  if (tensor.tied_to < -1 || tensor.tied_to >= std::ssize(model) ||
      (tensor.tied_to >= 0 && model[tensor.tied_to].tied_to >= 0)) {
    return fmt::format("tensor {} is tied to tensor {}: expected the index of one that is no other name itself",
                       tensor.name, tensor.tied_to);
  }
  return "";
}

std::string ProblemOf(const Model& model) {
  std::unordered_set<std::string_view> names;
  int64_t total = 0;
  for (size_t index = 0; index < model.size(); ++index) {
    if (!names.insert(model[index].name).second) return fmt::format("the model has tensor {} twice", model[index].name);
    std::string problem = ProblemOfTensor(model, index);
    if (!problem.empty()) return problem;
    total += CappedNumel(model[index].shape);
    if (total > kMostElements)
      return fmt::format("the model has more than 2^56 elements, by tensor {}", model[index].name);
  }
  return "";
}

std::string ProblemOf(const Mesh& mesh) {
  std::set<std::string> names;
  int64_t ranks = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1) return fmt::format("axis {} has size {}: expected at least 1", axis.name, axis.size);
    if (!names.insert(axis.name).second) return fmt::format("the mesh has axis {} twice", axis.name);
    ranks *= axis.size;
    if (ranks > kMostRanks) return "the mesh has more than 2^24 ranks";
  }
  return "";
}

std::string ProblemOf(const AffinePiece& piece) {
  const size_t dimensions = piece.shape.size();
  if (dimensions > 16 || piece.source_strides.size() != dimensions || piece.dest_strides.size() != dimensions ||
      AnyNegative(piece.shape) || MultiplyBeyond(piece.shape))
    return "an affine piece: expected a shape and as many strides on each side, at most 16 and at most 2^56 elements";
  const auto too_far = [&](int64_t offset, const std::vector<int64_t>& strides) {
    if (offset < -kMostElements || offset > kMostElements) return true;
    int64_t reach = std::abs(offset);
    for (size_t d = 0; d < dimensions; ++d) {
      if (strides[d] < -kMostElements || strides[d] > kMostElements) return true;
      reach += CappedProduct(piece.shape[d], std::abs(strides[d]));
      if (reach > kMostElements) return true;
    }
    return false;
  };
  if (too_far(piece.source_offset, piece.source_strides) || too_far(piece.dest_offset, piece.dest_strides))
    return "an affine piece reaches further than 2^56 elements";
  return "";
}

std::string ProblemOf(const Intervals& rule) {
  const auto beyond = [](int64_t position) { return position < -kMostElements || position > kMostElements; };
  int64_t total = 0;
  for (const Interval& i : rule.intervals) {
    if (beyond(i.begin) || beyond(i.end) || beyond(i.at))
      return fmt::format("the interval [{}, {}) and its offset {} in the shard: expected both within 2^56 elements",
                         i.begin, i.end, i.at);
    total += std::abs(i.end - i.begin);
    if (total > kMostElements) return "a list of intervals has more than 2^56 elements in all";
  }
  return "";
}

std::string ProblemOfRule(const Rule& rule, int64_t parts) {
  const auto capped = [&](int64_t part, int64_t least) {
    return part >= least && CappedProduct(part, parts) <= kMostElements;
  };
  if (const auto* ceil = std::get_if<Ceil>(&rule); ceil && !capped(ceil->part, 0))
    return fmt::format("parts of {} elements: expected at least 1, and at most 2^56 in all", ceil->part);
  if (const auto* rows = std::get_if<Rows>(&rule); rows && (!capped(rows->part, 0) || rows->dimension < 0))
    return fmt::format("parts of {} rows of dimension {}: expected at least 1, of dimension 0 or more", rows->part,
                       rows->dimension);
  if (const auto* blocks = std::get_if<BlockCyclic>(&rule); blocks && !capped(blocks->block, 1))
    return fmt::format("blocks of {} elements: expected at least 1, and at most 2^56 in a round", blocks->block);
  if (const auto* list = std::get_if<Intervals>(&rule)) return ProblemOf(*list);
  if (const auto* affine = std::get_if<Affine>(&rule)) {
    int64_t runs = 0;
    for (const AffinePiece& piece : affine->pieces) {
      const std::string problem = ProblemOf(piece);
      if (!problem.empty()) return problem;
      runs += SpansOf(piece);
      if (runs > kMostPieceRuns)
        return "affine pieces fall into more than 2^24 runs: write them with long inner dimensions";
    }
  }
  return "";
}

int64_t TensorsOf(const Division& division) {
  int64_t tensors = 0;
  for (const TensorRange& range : division.tensors) tensors += range.end - range.first;
  return tensors;
}

std::string ProblemOfForm(const Division& division, const Rule& rule) {
  const int64_t tensors = TensorsOf(division);
  const bool alone = std::holds_alternative<Rows>(rule) || std::holds_alternative<Owners>(rule);
  if (!division.each && alone) return "rows and owners divide each tensor alone: expected no flat buffer";
  if (std::holds_alternative<Affine>(rule) && (tensors != 1 || !division.each))
    return fmt::format("affine pieces of {} tensors: expected a division of their own for each", tensors);
  if (division.each && IsList(rule) && tensors != 1)
    return fmt::format("one list of intervals for {} tensors: expected a list for each, or a flat buffer", tensors);
  if (division.each && (!division.offsets.empty() || division.length || division.offset_alignment != 1))
    return "offsets, length and offset_alignment are those of a flat buffer: expected none where each tensor is "
           "divided alone";
  if (!division.offsets.empty() && std::ssize(division.offsets) != tensors)
    return fmt::format("{} offsets of {} tensors: expected one each", division.offsets.size(), tensors);
  return "";
}

template <typename Visit>
void ForEachTensor(const Model& model, const Division& division, Visit visit) {
  for (const TensorRange& range : division.tensors) {
    for (int32_t t = range.first; t < std::min<int64_t>(range.end, std::ssize(model)); ++t) visit(t);
  }
}

/// Counts the elements of all tensors that a division names, at most kMostElements + 1.
int64_t ElementsOf(const Model& model, const Division& division) {
  int64_t elements = 0;
  ForEachTensor(model, division,
                [&](int32_t t) { elements = std::min(elements + model[t].numel(), kMostElements + 1); });
  return elements;
}

/// Room beyond the tensors' own: parts of a given size, and flat buffers, take memory whatever the tensors hold.
int64_t SlotsOf(const Model& model, const Division& division, const Rule& rule, int64_t parts) {
  if (!division.each) return division.length.value_or(0);
  const bool given = (std::holds_alternative<Ceil>(rule) && std::get<Ceil>(rule).part > 0) ||
                     (std::holds_alternative<Rows>(rule) && std::get<Rows>(rule).part > 0);
  if (!given) return 0;
  int64_t slots = 0;
  ForEachTensor(model, division, [&](int32_t t) {
    const Cut cut = CutOf(model, {.tensors = {t}, .length = model[t].numel()}, rule, parts);
    const int64_t of_tensor = CappedProduct(CappedProduct(cut.part, parts), cut.unit_numel());
    slots = std::min(slots + of_tensor, kMostElements + 1);
  });
  return slots;
}

/// Each tensor begins less than offset_alignment behind the one before it.
std::string ProblemOfOffsets(const Model& model, const Division& division) {
  if (division.each || !division.offsets.empty()) return "";
  const int64_t tensors = std::max<int64_t>(TensorsOf(division), 1);
  const int64_t padding = CappedProduct(tensors - 1, division.offset_alignment - 1);
  if (padding + ElementsOf(model, division) <= kMostElements) return "";
  return fmt::format("a flat buffer of {} tensors at multiples of {} may reach further than 2^56 elements", tensors,
                     division.offset_alignment);
}

std::string ProblemOf(const Model& model, const Division& division, int64_t shards) {
  for (const TensorRange& range : division.tensors) {
    if (range.first < 0 || range.end < range.first)
      return fmt::format("a division has tensors [{}, {}): expected a range", range.first, range.end);
  }
  const auto beyond = [](int64_t size) { return size < 0 || size > kMostElements; };
  if (beyond(division.parts) || division.parts > kMostRanks || division.offset_alignment < 1 ||
      beyond(division.offset_alignment) || beyond(division.length.value_or(0)) ||
      std::any_of(division.offsets.begin(), division.offsets.end(), beyond))
    return "parts, offset_alignment, offsets or length: expected sizes from 0 (offset_alignment from 1) to 2^56";
  const int64_t parts = division.parts > 0 ? division.parts : shards;
  std::string problem = ProblemOfOffsets(model, division);
  const auto check = [&](const Rule& rule) {
    if (problem.empty()) problem = ProblemOfForm(division, rule);
    if (problem.empty()) problem = ProblemOfRule(rule, parts);
    if (problem.empty() && SlotsOf(model, division, rule, parts) > kMostElements)
      problem = "parts of that size hold too much: expected at most 2^56 elements in all";
  };
  check(division.rule);
  for (const Exception& exception : division.exceptions) check(exception.rule);
  return problem;
}

/// In how many runs the shards hold the tensors of a division, at most.
int64_t RunsOf(const Model& model, const Division& division, const Rule& rule, int64_t shards) {
  if (const auto* list = std::get_if<Intervals>(&rule)) return std::ssize(list->intervals);
  if (const auto* affine = std::get_if<Affine>(&rule)) {
    int64_t runs = 0;
    for (const AffinePiece& piece : affine->pieces) runs += SpansOf(piece);
    return runs;
  }
  const auto* blocks = std::get_if<BlockCyclic>(&rule);
  const auto* rows = std::get_if<Rows>(&rule);
  int64_t runs = division.each ? 0 : shards;
  for (const TensorRange& range : division.tensors) {
    for (int32_t t = range.first; t < std::min<int64_t>(range.end, std::ssize(model)); ++t) {
      int64_t outer = 1;
      for (int d = 0; rows && d < std::min<int64_t>(rows->dimension, std::ssize(model[t].shape)); ++d)
        outer = CappedProduct(outer, model[t].shape[d]);
      runs += blocks ? model[t].numel() / blocks->block + 1 : division.each ? CappedProduct(shards, outer) : 1;
      if (runs > kMostCompared) return runs;
    }
  }
  return runs;
}

/// Rules of single ranks, and states that are divided in three ways, are judged run by run.
std::string ProblemOfRuns(const Plan& plan) {
  const bool compared = plan.sharding_of[0] != plan.sharding_of[2] && plan.sharding_of[1] != plan.sharding_of[2] &&
                        std::count(plan.sharding_of.begin(), plan.sharding_of.end(), Plan::kWhole) == 0;
  int64_t runs = 0;
  for (const Sharding& sharding : plan.shardings) {
    const int64_t shards = Group(plan.mesh, sharding.axes).shards();
    for (const Division& division : sharding.divisions) {
      if (compared || !division.exceptions.empty()) runs += RunsOf(plan.model, division, division.rule, shards);
      for (const Exception& exception : division.exceptions)
        runs += RunsOf(plan.model, division, exception.rule, shards);
      if (runs > kMostCompared)
        return "more than 2^24 runs, and rules of single ranks or an optimizer that is divided otherwise than "
               "gradients "
               "and parameters: too many to compare one by one";
    }
  }
  return "";
}

std::string ProblemOf(const Sharding& sharding, const Plan& plan) {
  std::set<std::string> seen;
  for (const std::string& name : sharding.axes) {
    const auto& axes = plan.mesh.axes;
    if (std::none_of(axes.begin(), axes.end(), [&](const MeshAxis& axis) { return axis.name == name; }))
      return fmt::format("a state is divided along axis {}: expected an axis of the mesh, {}", name,
                         ToString(plan.mesh));
    if (!seen.insert(name).second) return fmt::format("a state is divided along axis {} twice", name);
  }
  const Group group(plan.mesh, sharding.axes);
  int64_t tensors = 0, elements = 0, slots = 0;
  for (const Division& division : sharding.divisions) {
    tensors += TensorsOf(division);
    if (tensors > kMostTensors) return "the divisions of a state name more than 2^27 tensors";
    std::string problem = ProblemOf(plan.model, division, group.shards());
    if (!problem.empty()) return problem;
    const int64_t parts = division.parts > 0 ? division.parts : group.shards();
    slots += SlotsOf(plan.model, division, division.rule, parts);
    if (slots > kMostElements) return "flat buffers or parts of a state hold more than 2^56 elements in all";
    elements += ElementsOf(plan.model, division);
    if (elements > kMostElements) return "the divisions of a state name tensors of more than 2^56 elements in all";
  }
  return "";
}

}  // namespace

std::string Problem(const Plan& plan) {
  std::string problem = ProblemOf(plan.model);
  if (problem.empty()) problem = ProblemOf(plan.mesh);
  for (const Sharding& sharding : plan.shardings) {
    if (problem.empty()) problem = ProblemOf(sharding, plan);
  }
  if (!problem.empty()) return problem;
  for (const int index : plan.sharding_of) {
    if (index != Plan::kWhole && (index < 0 || index >= std::ssize(plan.shardings)))
      return fmt::format("a state has sharding {}: expected one of the {}", index, plan.shardings.size());
  }
  problem = ProblemOfRuns(plan);
  if (!problem.empty()) return problem;
  if (plan.alignment < 1 || plan.alignment > kMostElements)
    return fmt::format("alignment is {}: expected 1 to 2^56", plan.alignment);
  if (plan.balance && *plan.balance < 0) return fmt::format("balance is {}: expected at least 0", *plan.balance);
  return "";
}

}  // namespace zerocts::plan
