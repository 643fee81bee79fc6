// Words for what a subject declares, and for what a case asks beyond it.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/dimensions/named_values.hpp"

namespace zerocts {

/// A requirement of a flag.
inline Requirement NeedsFlag(std::vector<std::string> features, const std::string& name, bool Capabilities::*flag) {
  return {std::move(features), name, [flag](const RunTerms& terms) { return terms.can.*flag; }};
}

/// A requirement of an entry of a list.
template <typename Item>
Requirement NeedsEntry(std::vector<std::string> features, const std::string& name,
                       std::vector<Item> Capabilities::*list, Item item) {
  return {std::move(features), name, [=](const RunTerms& terms) { return Contains(terms.can.*list, item); }};
}

inline bool HasSeveralRanks(const RunTerms& terms) {
  return terms.can.max_world_size > 1 && terms.ranks != 1 &&
         std::ranges::any_of(terms.world_sizes, [](int size) { return size > 1; });
}

inline Requirement NeedsSeveralRanks(std::vector<std::string> features) {
  return {std::move(features), "more than one rank", HasSeveralRanks};
}

/// A mesh that may have several ranks in each replica.
inline bool HasMeshOfShards(const RunTerms& terms) {
  return std::ranges::any_of(terms.world_sizes, [&](int size) {
    return (terms.ranks == 0 || terms.ranks == size) &&
           std::ranges::any_of(ShardedReplicaCounts(size),
                               [&](int replicas) { return Allows(terms.constraints, "mesh", NameOfValue(replicas)); });
  });
}

/// Does the subject compute models itself?
inline bool ComputesModels(const Capabilities& can) { return !can.models.empty(); }

/// Gradients of a model, by bits or within a bound.
inline bool HasModels(const RunTerms& terms) {
  return MissingFor("model_on_text", terms).empty() || MissingFor("real_training", terms).empty();
}

/// Is the optimizer declared, and are its results judged by a formula?
inline std::vector<Requirement> NeedsOptimizer(const std::vector<std::string>& features, OptimizerKind optimizer) {
  const std::string name = ToString(optimizer);
  return {NeedsEntry(features, name, &Capabilities::optimizers, optimizer),
          {features, name + " by a formula that has words",
           [optimizer](const RunTerms& terms) { return IsJudgedBy(terms.fidelity, optimizer, terms.can); }}};
}

/// Muon moves matrices alone.
inline bool MovesMoreThanMatrices(const RunTerms& terms) {
  const auto is_another = [](OptimizerKind optimizer) { return optimizer != OptimizerKind::kMuon; };
  return terms.can.optimizers.empty() || std::ranges::any_of(terms.can.optimizers, is_another);
}

inline Requirement NeedsMoreThanMatrices(std::vector<std::string> features) {
  return {std::move(features), "an optimizer other than muon", MovesMoreThanMatrices};
}

/// Stage 0 has no shards.
inline bool HasShardedStage(const RunTerms& terms) {
  return std::ranges::any_of(terms.can.stages, [](int stage) { return stage > 0; });
}

/// By the number of micro-batches of such a run sums can be divided without rounding.
inline bool HasPowerOfTwoRanks(const RunTerms& terms) {
  return std::ranges::any_of(terms.world_sizes, [&](int size) {
    return std::has_single_bit(static_cast<unsigned>(size)) && (terms.ranks == 0 || terms.ranks == size);
  });
}

/// A requirement of a value that the run may not leave out.
inline Requirement NeedsValue(std::vector<std::string> features, const std::string& dimension,
                              const std::string& value) {
  return {std::move(features), dimension + " " + value,
          [=](const RunTerms& terms) { return Allows(terms.constraints, dimension, value); }};
}

/// A requirement of parameters of the suite's own choice: a plan file has its own.
inline Requirement NeedsNoPlanFile(std::vector<std::string> features) {
  return {std::move(features), "no plan file",
          [](const RunTerms& terms) { return FileOf(terms.constraints) == nullptr; }};
}

/// Is an order declared?
inline bool HasOrder(const RunTerms& terms) { return !terms.can.reduction_orders.empty(); }
/// One that is known without a run on probe data, and for self parity one in which one rank can add as many do?
inline bool HasNamedOrder(const RunTerms& terms) {
  return terms.fidelity == Fidelity::kSelfParity ? NamesAnOrderOfOneRank(terms.can) : NamesAnOrder(terms.can);
}

inline Capability DeclaresFlag(const std::string& name, bool Capabilities::*flag) {
  return {name, [flag](Capabilities& can) { can.*flag = true; }};
}

/// One more entry of a list.
template <typename Item>
Capability DeclaresEntry(const std::string& name, std::vector<Item> Capabilities::*list, Item item) {
  return {name, [=](Capabilities& can) {
            if (!Contains(can.*list, item)) (can.*list).push_back(item);
          }};
}

/// "stage 3 (declared: 0, 1)".
template <typename Item>
std::string Beyond(const std::string& what, const std::vector<Item>& declared) {
  return declared.empty() ? what + " (nothing of the kind is declared)"
                          : fmt::format("{} (declared: {})", what, fmt::join(declared, ", "));
}

/// "clip (not declared)" when it is asked for.
inline std::string Undeclared(const std::string& name, bool asked, bool declared) {
  return asked && !declared ? fmt::format("{} (not declared)", name) : "";
}

/// "offload full (declared: none)".
template <typename Enum>
std::string Unlisted(const std::string& what, Enum asked, const std::vector<Enum>& declared) {
  return Contains(declared, asked) ? "" : Beyond(what + " " + ToString(asked), NamesOf(declared));
}

inline std::string FirstOf(std::initializer_list<std::string> sentences) {
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace zerocts
