// One thing that a case can vary, and all that the suite knows of it: names and meanings of its values, what a subject
// must declare for them, how they are drawn, refused and left out. Dimensions() is the table of all; features,
// minimums, capabilities, refusals, drawing and shrinking derive from it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/draws/constraints.hpp"
#include "conformance/cases/draws/drawing.hpp"
#include "conformance/cases/draws/simplifying.hpp"
#include "reference/experiment/json_fields.hpp"

struct zerocts_open_args;

namespace zerocts {

/// A value, or a kind of values, that has a name.
struct Feature {
  std::string name;                                    // "frozen"
  std::string meaning;                                 // "a parameter is frozen in some step"
  std::function<bool(const Case&)> present = nullptr;  // none: the dimension's find_together looks for it
  bool costly = false;                                 // one case of a run is enough for a clause that asks for it
};

/// What a run asks for, and of whom.
struct RunTerms {
  Capabilities can;
  Fidelity fidelity = Fidelity::kBitwise;  // of the clause
  std::vector<int> world_sizes;
  std::vector<Precision> precisions;
  Constraints constraints = {};  // by which `can` is narrowed
  int ranks = 0;                 // of a case; 0: any of the world sizes
  bool small = false;            // all tensors are held small (--tier smoke)
};

/// Names for all that a case can have of a dimension, each case one. By them a run chooses, and pairs are counted.
/// named_values.hpp makes them.
struct NamedValues {
  std::string option = {};              // of zerocts check, that holds a run to some of them: "offload"; "": none
  std::string meaning = {};             // of the option
  std::vector<std::string> known = {};  // "none", "params", "full"; none: the subject names them, or they are numbers
  std::function<std::string(const Case&)> of = nullptr;                                // "full"
  std::function<std::vector<std::string>(const RunTerms&)> available = nullptr;        // that a run can have
  std::function<void(Capabilities&, const std::vector<std::string>&)> keep = nullptr;  // declares no others
};

/// What features need beside what every subject can do.
struct Requirement {
  std::vector<std::string> features;
  std::string capability;  // in words: "replicas", "two world sizes"
  std::function<bool(const RunTerms&)> met;
};

/// A declaration by its name, so that what is missing can be named.
struct Capability {
  std::string name;
  std::function<void(Capabilities&)> declare;
};

/// Makes a case ask for something, where it has room for it; else changes nothing. probes.hpp makes them.
using UndeclaredProbe = std::function<void(Case&, const Capabilities& can)>;

/// Shrinking leaves out in this order.
enum class Simplicity {
  kExtraCalls,
  kLoss,
  kRanks,
  kSteps,
  kParameters,
  kMicroBatches,
  kArrangement,
  kCheckpoint,
  kRoles,
  kScaling,
  kMagnitude,
  kShapes,
  kModel,
  kOptimizer,
  kClipping,
  kChanges,
  kGroups,
  kReads,
};

/// Adds simpler cases; each is smaller in one thing and larger in none.
struct Simplification {
  Simplicity at;
  std::function<void(Simplifying&)> simplify;
};

/// A field of a case's JSON, beside its experiment.
struct CaseField {
  std::string name;
  std::function<void(JsonForm&, Case&)> describe;
  bool needed = true;  // false: it may be missing, and is where it is as usual
};

/// What a case has of it.
struct DimensionForm {
  std::vector<CaseField> fields = {};  // case_fields.hpp makes them; none: its part of the case is in the experiment
  /// Numbers by which zerocts_subject.h tells a subject of it. Texts and tables, which need memory, are told by the
  /// host.
  std::function<void(const Case&, zerocts_open_args&)> tell = nullptr;
  std::vector<Feature> features = {};
  /// Features that are cheaper to find together; adds names of `features`.
  std::function<void(const Case&, const std::function<void(const std::string&)>& add)> find_together = nullptr;
};

/// What a subject declares of it.
struct DimensionDeclared {
  std::vector<Requirement> requirements = {};  // the first that is not met is reported
  std::vector<Capability> capabilities = {};
  /// "" or what of the case goes beyond the declaration: "plan padded (declared: contiguous)".
  std::function<std::string(const Case&, const Capabilities&)> beyond = nullptr;
  /// For what `beyond` may find: a subject must refuse what it does not declare of them.
  std::vector<UndeclaredProbe> probes = {};
};

/// How its part of a case is made, and made simpler.
struct DimensionDrawn {
  bool on_request = false;  // only clauses that name it (CaseSpace::vary) have more than its usual values
  /// Draws its part of the case, in which all dimensions before it stand. False: nothing fits.
  std::function<bool(Drawing&)> draw = nullptr;
  /// Sets what follows from all that was drawn, in a case that fits.
  std::function<void(Drawing&)> finalize = nullptr;
  std::vector<Simplification> simplifications = {};
};

struct Dimension {
  std::string name;
  NamedValues values = {};
  DimensionForm form = {};
  DimensionDeclared declared = {};
  DimensionDrawn drawn = {};
};

/// In the order in which they are drawn.
const std::vector<Dimension>& Dimensions();
const Dimension& FindDimension(const std::string& name);  // throws std::out_of_range

/// What the features need that the run cannot have: "needs: replicas", "" when there is nothing.
std::string MissingFor(const std::string& feature, const RunTerms& terms);

bool IsCostly(const std::string& feature);

}  // namespace zerocts
