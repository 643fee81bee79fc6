// What may have ended runs of a configuration without values, by the features of its cases: so that other cases can go
// on.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace zerocts {

class Suspects {
 public:
  using Features = std::set<std::string>;

  /// A case with these features passed, or was judged by its values: none of them alone ends a run.
  void Clear(const Features& features) {
    cleared_.insert(features.begin(), features.end());
    if (suspected_) Erase(*suspected_, features);
  }
  /// A run ended. False when no feature tells such cases from others.
  bool Add(const Features& features) {
    if (!suspected_) suspected_ = features;
    std::erase_if(*suspected_, [&](const std::string& feature) { return !features.contains(feature); });
    Erase(*suspected_, cleared_);
    return !suspected_->empty();
  }

  /// Has it all that is suspected? Such cases are left out. Before the first Add none are.
  bool Are(const Features& features) const {
    return suspected_ && !suspected_->empty() && std::ranges::includes(features, *suspected_);
  }
  /// "degenerate, stage1"
  std::string Text() const { return suspected_ ? fmt::format("{}", fmt::join(*suspected_, ", ")) : ""; }

 private:
  static void Erase(std::set<std::string>& from, const std::set<std::string>& features) {
    std::erase_if(from, [&](const std::string& feature) { return features.contains(feature); });
  }

  Features cleared_;
  std::optional<Features> suspected_;  // that all ended runs had, and none that passed
};

}  // namespace zerocts
