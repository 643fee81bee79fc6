// How each rank's part of a case ended, and what that makes of the case.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

struct RankEnd {
  Ending ending = Ending::kObserved;  // of this rank alone, so neither kHang nor kDisagreement
  int code = 0;                       // kRefused: status code; kCrash: exit code, 0 after a signal
  std::string text;  // "refused step 1: INTERNAL: ..", "was killed by signal 11 (SIGSEGV) at step 0, in step"
  int order = 0;     // which end came to the conductor first

  bool answered() const {
    return ending == Ending::kObserved || ending == Ending::kRefused || ending == Ending::kUnsupported;
  }
  bool crashed() const { return ending == Ending::kCrash; }
  bool died() const { return crashed() || ending == Ending::kEarlyExit; }
};

using RankEnds = std::vector<std::optional<RankEnd>>;
std::vector<int> WithoutEnd(const RankEnds& ends);
/// Notes `end` as the latest. Only a death or garbage changes what is known of a rank; returns whether it did.
bool Note(RankEnds& ends, int rank, RankEnd end);

struct CaseEnd {
  Ending ending = Ending::kObserved;
  std::string message;
};

/// The ending of a case. A breach explains a death, a death refusals of others, a refusal silence; so the first cause
/// is named, not what followed. `last_position[rank]` of a rank without an end: "pid 77, stopped by a signal, stands at
/// step 1, in step: barrier".
CaseEnd EndOfCase(const RankEnds& ends, const std::vector<std::string>& last_position);

/// The rank whose end of this sort came first; -1: none.
int FirstEnd(const RankEnds& ends, const std::function<bool(const RankEnd&)>& is);

/// What makes a case unsupported, as a sentence.
std::string NotDeclared(const std::string& need);

/// "rank 1", "ranks 0, 2"
std::string RankList(const std::vector<int>& ranks);
/// "; rank 0: waits, rank 2: sleeps", as it follows a list of ranks; of many the first eight, and how many more.
std::string EachRank(const std::vector<int>& ranks, const std::function<std::string(int)>& what);

/// "was killed by signal 9 (SIGKILL), it stood at step 0, in step" and the like from what a shim says.
RankEnd EndFrom(const EndedMessage& ended, const std::string& stood);
RankEnd EndFrom(const RefusedMessage& refused);

}  // namespace zerocts
