// What may have ended runs of a configuration without values, by the features of its cases: so that other cases can go
// on.
#pragma once
#include <optional>
#include <set>
#include <string>

namespace zerocts {

class Suspects {
 public:
  using Features = std::set<std::string>;

  /// A case with these features passed, or was judged by its values: none of them alone ends a run.
  void Clear(const Features& features);
  /// A run ended. False when no feature tells such cases from others.
  bool Add(const Features& features);

  /// Has it all that is suspected? Such cases are left out. Before the first Add none are.
  bool Are(const Features& features) const;
  /// "degenerate, stage1"
  std::string Text() const;

 private:
  Features cleared_;
  std::optional<Features> suspected_;  // that all ended runs had, and none that passed
};

}  // namespace zerocts
