// Why a run ends before its clauses do: a signal, or ranks that hang at one place again and again.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {

/// Where ranks stood that hung, the same for any ranks, steps and launchers: "step: barrier", "outside of the subject".
std::string PlaceOfHang(const Failure& hang);

/// Any thread may ask.
class Stops {
 public:
  /// `most_hangs`: so many in a row at one place end the run, or in so many clauses; 0: none do. `tells`: the first
  /// hang, on stderr.
  Stops(int most_hangs, bool tells) : most_hangs_(most_hangs), tells_(tells) {}

  /// The first of the run is told at once, before it is shrunk.
  void TellHang(const Case& c, const Configuration& configuration, const std::string& message);
  /// What a configuration came to. Ranks that do not hang end the row; a rank that is alone waits for nobody.
  void Add(const Configuration& configuration, const ConfigurationOutcome& outcome);
  /// The last case hung, and was shrunk.
  bool HasHung() const;
  /// "interrupted by SIGINT", "3 cases in a row hung in step: barrier (--no-stop goes on)", "cases of 3 clauses hung
  /// in step: barrier (..)"; "": the run goes on.
  std::string Why() const;

 private:
  const int most_hangs_;
  const bool tells_;
  mutable std::mutex mutex_;
  std::string place_;  // of the hangs in a row
  int hangs_ = 0;
  std::map<std::string, std::set<std::string>> clauses_;  // that hung, by place
  std::string why_;
  bool told_ = false;
};

}  // namespace zerocts
