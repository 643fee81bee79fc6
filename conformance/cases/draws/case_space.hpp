// What a clause draws its cases from, and where they run.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/draws/constraints.hpp"

namespace zerocts {

enum class ShapeStyle {
  kMixed,       // 1..6 small parameters; boundaries of W equal shards inside and on edges, sometimes degenerate ones
  kDegenerate,  // numel < W, zero-element, scalar, one parameter, total < W, empty group; alone and mixed
  kLarge,       // few parameters, 2^18 .. 2^20 elements in all, in some cases 2^22: bytes count. Fewer from 16 ranks on
  kBothSizes,   // as kMixed, but one case of four has 2^16 .. 2^17 elements: bytes count; one has 40 .. 48 parameters:
                // calls do
};

/// What a clause draws from. Everything is cut down to what the subject declares; what is cut away entirely shows in
/// the clause's coverage minimums.
struct CaseSpace {
  std::string clause;
  /// The fidelity of its cases; kBitwise: exact inputs or a declared order, case by case. Set from the clause's text.
  Fidelity fidelity = Fidelity::kBitwise;
  /// Names of dimensions (dimensions/) that its cases vary, of those that are drawn on request: {"mesh", "overlap"}.
  /// Each as far as the subject declares it; what is not named takes no draw.
  std::set<std::string> vary;
  /// Where the subject's models are inexact, its cases are judged by a bound and draw from these optimizers. None: such
  /// a subject has no case.
  std::vector<OptimizerKind> or_bounded;
  ShapeStyle shapes = ShapeStyle::kMixed;
  std::vector<GradientSource> gradients = {GradientSource::kIndexCoded};  // inexact: only with a declared order
  std::vector<OptimizerKind> optimizers = {OptimizerKind::kSgd};
  std::vector<int> stages = {0, 1, 2, 3};
  InitialValues initial = InitialValues::kIntegers;
  int min_steps = 1, max_steps = 3;
  int smoke_steps = 0;        // in place of these where tensors are held small; 0: these
  int most_cases = 0;         // of a run, but for one in each configuration; 0: as many as are asked for
  int max_micro_batches = 3;  // > 1 only when the subject declares accumulation; W * K is kept exact for exact sources
  int max_groups = 2;
  bool split_layers = false;  // every case has tensor ranks
  bool plain_update = false;  // SGD, lr a power of two, no momentum, no weight decay: the update shows the gradient
  // The run goes through a checkpoint, after any step but the last where there is another.
  std::optional<CheckpointUse> checkpoint;
  std::function<void(Case&)> finish;      // last touch, e.g. the clause's own fields
  std::function<bool(const Case&)> keep;  // a case outside is not drawn and not shrunk to

  bool varies(const std::string& dimension) const { return vary.contains(dimension); }
  /// Real training judged by a bound: fp32, of an MLP that the subject computes itself.
  bool bounded() const { return fidelity == Fidelity::kBounded; }
  /// Whatever formula and model arithmetic a subject has.
  bool parity() const { return fidelity == Fidelity::kSelfParity; }
};

/// The same for a subject that declares this: bounded in place of its own fidelity where that is all its models can be
/// judged by.
CaseSpace SpaceFor(CaseSpace space, const Capabilities& capabilities);

/// The optimizers that it draws from; where a run has none of the first list, AdamW and Adam stand in for SGD.
/// DrawHyperParameters gives them an epsilon by which updates show the scale of gradients. Bounds are SGD's alone.
std::vector<std::vector<OptimizerKind>> OptimizerChoices(const CaseSpace& space);

/// The fidelity of a case of the space with this experiment.
Fidelity FidelityOf(const CaseSpace& space, const Experiment& experiment);

/// Does the case go through the checkpoint that the space asks for?
bool HasCheckpointOf(const CaseSpace& space, const Case& c);

/// What the configuration fixes of a case: not drawn.
struct CaseConditions {
  int world_size = 1;
  Precision precision = Precision::kFp32;
  Constraints constraints = {};       // to which the run is held
  std::vector<int> world_sizes = {};  // of the whole run: others may load what is saved here
  int largest_size = 100;             // RapidCheck's size of a case, from 0: how large its tensors may be
};

/// Those of `sizes` that the subject declares.
std::vector<int> AvailableWorldSizes(std::vector<int> sizes, const Capabilities& capabilities);

/// On how many ranks a checkpoint can be loaded under these conditions, but for as many as saved it.
std::vector<int> OtherWorldSizes(const CaseConditions& conditions, const Capabilities& capabilities);

}  // namespace zerocts
