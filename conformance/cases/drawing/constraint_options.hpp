// The options that hold a run to some values: one of each dimension whose values are chosen by name, --strategy,
// which says stage and mesh in the words of FSDP, and --without, which takes single values away. What they leave of
// cases and of what is declared.
#pragma once
#include <string>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/draws/constraints.hpp"

namespace zerocts {

struct FilePlan;
struct RunTerms;

struct ConstraintOption {
  std::string name;                // "offload"
  std::string meaning;             // "State that is offloaded to CPU memory"
  std::vector<std::string> words;  // that it takes; none: the subject names them, or they are numbers
  bool several = true;             // with commas
  bool takes_away = false;         // its words are what no case has
};
const std::vector<ConstraintOption>& ConstraintOptions();

/// The words of an option that a run can choose from, by what the subject declares and the run's world sizes.
std::vector<std::string> AvailableWords(const std::string& option, const RunTerms& terms);

/// What the words mean; each is available.
Constraint ConstraintOf(const std::string& option, const std::vector<std::string>& words, const RunTerms& terms);

/// Plan, stage, mesh, ranks and parameters are those of the file.
Constraint ConstraintOfFile(const FilePlan& file);

/// Parameters are those of the model, for the ranks of each case.
Constraint ConstraintOfShapes(const ModelShapes& shapes);

/// Does the case meet all constraints?
bool Meets(const Case& c, const Constraints& constraints);

/// What is declared, without what the constraints leave out. For drawing: a judge may run other cases to compare with.
Capabilities Narrowed(Capabilities capabilities, const Constraints& constraints);

}  // namespace zerocts
