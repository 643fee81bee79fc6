// How many parameters there are, of which shapes, and where boundaries of equal shards fall among them.
#include "conformance/cases/draws/shapes.hpp"

#include <algorithm>
#include <iterator>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/equal_shards.hpp"
#include "conformance/cases/draws/model_shapes.hpp"
#include "conformance/cases/draws/role_edits.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {
namespace {

bool AnyParameter(const Experiment& e, bool (*holds)(const ParameterSpec&)) {
  return std::ranges::any_of(e.parameters, holds);
}

bool IsScalar(const ParameterSpec& parameter) { return parameter.shape.empty(); }
bool IsEmpty(const ParameterSpec& parameter) { return parameter.numel() == 0; }

bool IsUneven(const Case& c) { return TotalNumel(c.experiment) % c.world_size() != 0; }

bool HasFewerElementsThanRanks(const Case& c) {
  return std::ranges::any_of(c.experiment.parameters, [&](const ParameterSpec& parameter) {
    return parameter.numel() > 0 && parameter.numel() < c.world_size();
  });
}

bool HasEmptyRank(const Case& c) { return TotalNumel(c.experiment) < c.world_size(); }
bool HasEmptyParameter(const Case& c) { return AnyParameter(c.experiment, IsEmpty); }
bool HasScalar(const Case& c) { return AnyParameter(c.experiment, IsScalar); }
bool HasOneParameter(const Case& c) { return c.experiment.parameters.size() == 1; }

/// Whole moments, of which a rank hides more than an interpreter and a framework may keep unnamed (memory_growth.cpp).
bool HasLargeState(const Case& c) {
  constexpr int64_t kUnnamedBytes = int64_t{14} << 20;
  int64_t numel = 0;  // of rank 0, which has one expert at most
  for (int p = 0; p < std::ssize(c.experiment.parameters); ++p)
    numel += c.RankHas(0, p) ? c.experiment.parameters[static_cast<size_t>(p)].numel() : 0;
  const int64_t bytes = numel * std::ssize(MomentNames(c.experiment.optimizer)) * 4;
  return c.stage > 0 && bytes / c.shards() * (c.shards() - 1) > kUnnamedBytes;
}

/// Has a boundary of W equal shards, on an edge between two parameters or inside of one?
template <bool on_edge>
bool HasBoundary(const Case& c) {
  const Experiment& e = c.experiment;
  const int64_t total = TotalNumel(e);
  const std::vector<int64_t> edges = FlatOffsets(e);
  return std::ranges::any_of(EqualShardBoundaries(total, e.world_size), [&](int64_t boundary) {
    return boundary != 0 && boundary != total && std::ranges::binary_search(edges, boundary) == on_edge;
  });
}

std::string BeyondShapes(const Case& c, const Capabilities& can) {
  return FirstOf({Undeclared("shapes: a scalar", HasScalar(c), can.scalars),
                  Undeclared("shapes: a parameter without elements", HasEmptyParameter(c), can.empty_parameters),
                  Undeclared("a rank without elements", LeavesTooLittle(c, can), false)});
}

/// How many parameters every case needs.
int LeastParameters(const Drawing& drawing) {
  if (!drawing.can.no_empty_ranks) return 0;
  const std::vector<int>& others = drawing.conditions.world_sizes;
  const bool is_loaded_by_others = drawing.space.checkpoint == CheckpointUse::kReshard && !others.empty();
  return std::max(drawing.e.world_size, is_loaded_by_others ? std::ranges::max(others) : 0);
}

bool DrawShapes(Drawing& drawing) {
  if (!drawing.given()) return true;
  Experiment& e = drawing.e;
  const auto given = GivenParameters(drawing.conditions.constraints, e.world_size);
  e.parameters =
      given ? *given
            : DrawParameters(drawing.space.shapes, e.world_size, drawing.size, LeastParameters(drawing), drawing.draws);
  e.initial = drawing.space.initial == InitialValues::kModel ? InitialValues::kUniform : drawing.space.initial;
  return true;
}

UndeclaredProbe ProbeForOneMore(const ParameterSpec& parameter) {
  return ProbeFor([=](Case& c) {
    Experiment& e = c.experiment;
    InsertParameter(e, static_cast<int>(e.parameters.size()), parameter);
  });
}

/// One element on several ranks.
void ProbeForAnEmptyRank(Case& c) {
  Experiment& e = c.experiment;
  if (e.model || c.shards() == 1) return;
  KeepParameters(e, [](int p) { return p == 0; });
  e.parameters.front().shape = {1};
}

void FewerParameters(Simplifying& simpler) {
  if (simpler.e.model) return;
  const auto count = static_cast<int>(simpler.e.parameters.size());
  const auto keep = [&](int begin, int end) {
    simpler.Try([&](Case&, Experiment& e) { KeepParameters(e, [&](int p) { return begin <= p && p < end; }); });
  };
  if (count >= 4) {
    keep(0, count / 2);
    keep(count / 2, count);
  }
  for (int p = 0; p < count; ++p) {
    simpler.Try([&](Case&, Experiment& e) { KeepParameters(e, [&](int kept) { return kept != p; }); });
  }
}

/// The shape of a parameter, with that of every name that is tied to it.
template <typename Change>
void TryShape(Simplifying& simpler, size_t p, Change change) {
  simpler.Try([&](Case&, Experiment& e) {
    const int owner = e.roles.OwnerOf(static_cast<int>(p));
    for (size_t name = 0; name < e.parameters.size(); ++name) {
      if (e.roles.OwnerOf(static_cast<int>(name)) == owner) change(e.parameters[name].shape);
    }
  });
}

void SmallerShapes(Simplifying& simpler) {
  if (simpler.e.model) return;
  simpler.Try([](Case&, Experiment& e) {
    for (ParameterSpec& parameter : e.parameters) {
      for (int64_t& dimension : parameter.shape) dimension = (dimension + 1) / 2;
    }
  });
  for (size_t p = 0; p < simpler.e.parameters.size(); ++p) {
    const ParameterSpec& parameter = simpler.e.parameters[p];
    if (parameter.shape.size() > 1) {
      TryShape(simpler, p, [&](std::vector<int64_t>& shape) { shape = {parameter.numel()}; });
    }
    for (size_t d = 0; d < parameter.shape.size(); ++d) {
      const auto try_dimension = [&](int64_t dimension) {
        TryShape(simpler, p, [&](std::vector<int64_t>& shape) { shape[d] = dimension; });
      };
      for (const int64_t dimension : Simplifying::Below(parameter.shape[d], 1)) try_dimension(dimension);
      if (parameter.shape[d] > simpler.e.world_size) {
        try_dimension(parameter.shape[d] - simpler.e.world_size);  // what is left over W ranks stays
      }
    }
  }
}

/// The first that the case has.
std::string KindOfShapes(const Case& c) {
  if (HasEmptyParameter(c)) return "without elements";
  if (HasScalar(c)) return "a scalar";
  if (HasFewerElementsThanRanks(c)) return "fewer elements than ranks";
  if (HasOneParameter(c)) return "one parameter";
  return IsUneven(c) ? "uneven" : "even";
}

/// Are there cases with fewer tensors than ranks, or with one rank?
bool HasFewTensors(const RunTerms& terms) {
  return !terms.can.no_empty_ranks || (terms.ranks <= 1 && Contains(terms.world_sizes, 1));
}

/// With given parameters, otherwise as usual.
Case CaseOfGiven(const Constraints& constraints, int world_size) {
  if (const FilePlan* file = FileOf(constraints)) return CaseThrough(*file);
  Case c;
  c.experiment.world_size = world_size;
  c.experiment.parameters = *GivenParameters(constraints, world_size);
  return c;
}

/// Whether given parameters have it in a case of one of the world sizes; drawn ones may always.
bool MayHave(const RunTerms& terms, const std::function<bool(const Case&)>& present) {
  if (!HaveGivenParameters(terms.constraints)) return true;
  const std::vector<int> sizes = terms.ranks > 0 ? std::vector{terms.ranks} : terms.world_sizes;
  return std::ranges::any_of(sizes,
                             [&](int world_size) { return present(CaseOfGiven(terms.constraints, world_size)); });
}

/// Cases of more ranks have smaller tensors.
bool HasFewRanks(const RunTerms& terms) {
  constexpr int kMost = 8;
  if (terms.ranks > 0) return terms.ranks <= kMost;
  return std::ranges::any_of(terms.world_sizes, [](int world_size) { return world_size <= kMost; });
}

bool HasScalars(const RunTerms& terms) { return terms.can.scalars && MovesMoreThanMatrices(terms); }

NamedValues KindsOfShapes() {
  NamedValues kinds = ValuesOf({{"even"},
                                {"uneven", HasSeveralRanks},
                                {"one parameter", HasFewTensors},
                                {"fewer elements than ranks", HasSeveralRanks},
                                {"a scalar", HasScalars},
                                {"without elements", [](const RunTerms& terms) { return terms.can.empty_parameters; }}},
                               KindOfShapes);
  kinds.available = [drawn = kinds.available](const RunTerms& terms) {
    std::vector<std::string> words = drawn(terms);
    std::erase_if(words, [&](const std::string& word) {
      return !MayHave(terms, [&](const Case& c) { return KindOfShapes(c) == word; });
    });
    return words;
  };
  return kinds;
}

std::vector<Feature> FeaturesOfShapes() {
  return {{"uneven", "the number of elements is not a multiple of the number of ranks", IsUneven},
          {"numel_below_w", "a parameter has fewer elements than there are ranks, but at least one",
           HasFewerElementsThanRanks},
          {"empty_rank", "there are fewer elements than ranks, so that some rank owns nothing", HasEmptyRank},
          {"zero_numel", "a parameter has no elements", HasEmptyParameter},
          {"scalar", "a parameter has no dimensions (one element)", HasScalar},
          {"one_parameter", "the model has one parameter", HasOneParameter},
          {"large_state", "the moments that a rank does not own take more memory than anybody may keep unnamed",
           HasLargeState},
          {"boundary_inside", "a boundary of equal contiguous shards lies inside a parameter", HasBoundary<false>},
          {"boundary_on_edge", "a boundary of equal contiguous shards lies on the edge between two parameters",
           HasBoundary<true>}};
}

/// Where all cases have the same parameters, they have such shapes or none.
std::vector<Requirement> RequirementsOfGiven(const std::vector<Feature>& features) {
  std::vector<Requirement> requirements;
  for (const Feature& feature : features) {
    requirements.push_back({{feature.name},
                            "a plan file or a model of such shapes",
                            [present = feature.present](const RunTerms& terms) { return MayHave(terms, present); }});
  }
  return requirements;
}

}  // namespace

Dimension ShapesDimension() {
  const std::vector<Feature> features = FeaturesOfShapes();
  std::vector<Requirement> requirements = RequirementsOfGiven(features);
  requirements.push_back(NeedsFlag({"scalar"}, "shapes scalar", &Capabilities::scalars));
  requirements.push_back(NeedsMoreThanMatrices({"scalar"}));
  requirements.push_back(NeedsFlag({"zero_numel"}, "shapes empty", &Capabilities::empty_parameters));
  requirements.push_back(
      NeedsSeveralRanks({"uneven", "numel_below_w", "empty_rank", "boundary_inside", "boundary_on_edge"}));
  requirements.push_back({{"empty_rank"},
                          "a rank without elements (the subject declares no_empty_ranks)",
                          [](const RunTerms& terms) { return !terms.can.no_empty_ranks; }});
  requirements.push_back(NeedsSeveralRanks({"large_state"}));
  requirements.push_back({{"large_state"}, "eight ranks at most", HasFewRanks});
  std::ranges::copy(NeedsOptimizer({"large_state"}, OptimizerKind::kAdamW), std::back_inserter(requirements));
  requirements.push_back(
      {{"one_parameter"}, "fewer tensors than ranks (the subject declares no_empty_ranks)", HasFewTensors});
  return {
      .name = "shapes",
      .values = KindsOfShapes(),
      .form = {.features = features},
      .declared = {.requirements = requirements,
                   .beyond = BeyondShapes,
                   .probes = {ProbeForOneMore({"scalar", {}, 0}), ProbeForOneMore({"empty", {0, 3}, 0}),
                              ProbeFor(ProbeForAnEmptyRank)}},
      .drawn = {.draw = DrawShapes,
                .simplifications = {{Simplicity::kParameters, FewerParameters}, {Simplicity::kShapes, SmallerShapes}}}};
}

}  // namespace zerocts
