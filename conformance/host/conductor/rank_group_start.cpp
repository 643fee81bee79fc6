// How the ranks of a group come up, and what is said of those that do not.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/start_ended.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/rank_output.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;

constexpr auto kFailurePatience =
    milliseconds(200);  // a rank says why before its shim says that it ended, by another way
constexpr int kCannotBeExecuted = 126, kNotFound = 127;  // exit codes of a shell about its command

}  // namespace

void RankGroup::AwaitHello(const Deadline& deadline) {
  WaitNotice notice(clock_, deadline, settings_.notice_every);
  std::vector<int> missing;
  while (!(missing = WithoutHello()).empty()) {
    Pump(deadline.at);
    if (processes_->AnyEnded() || processes_->LostProcess()) Pump(clock_.Now() + kFailurePatience);
    if (failure_) throw NotASubject(*failure_);
    if (const int rank = FirstEnd(Ends(), [](const RankEnd&) { return true; }); rank >= 0) ThrowStartEnded(rank);
    if (!(missing = WithoutHello()).empty() && clock_.Passed(deadline.at)) ThrowStartHangs(missing, deadline);
    notice.Tick([&] { return WaitedForRanks(missing, "to say hello"); });
  }
}

std::vector<int> RankGroup::WithoutHello() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!ranks_[rank].hello || !processes_->HasStarted(rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::string RankGroup::NotStarted(const std::string& why) const {
  return fmt::format("the ranks do not start under launcher {}: {}", ToString(launcher_), why);
}

void RankGroup::ThrowStartEnded(int rank) const {
  const RankEnd& end = *ranks_[rank].end;
  const std::string why = fmt::format("rank {} {}{}", rank, end.text, socket_.Strangers()), output = OutputOf({rank});
  if (from_command_ && end.ending == Ending::kCrash && (end.code == kCannotBeExecuted || end.code == kNotFound)) {
    throw NotASubject(StartEnded({.result = {.message = NotStarted(why)}}, output).sentence);
  }
  if (const auto lost = processes_->LostProcess(); lost && lost->ExitedByItself() && !processes_->AnyEnded()) {
    throw HarnessError(
        StartEnded({.result = {.message = NotStarted(why)}}, output).sentence);  // a launcher that does not work
  }
  throw StartEnded({launcher_, world_size(), ResultOutsideOfCases(end.ending, NotStarted(why))}, output);
}

void RankGroup::ThrowStartHangs(const std::vector<int>& missing, const Deadline& deadline) const {
  std::string why =
      fmt::format("{} did not say hello within {:g} s", RankList(missing), deadline.span.count() / 1000.0);
  for (const int rank : missing)
    why += fmt::format("{} rank {}: {}", rank == missing.front() ? ";" : ",", rank, processes_->StateOf(rank));
  why += clock_.Stretch(deadline) + socket_.Strangers();
  throw StartEnded({launcher_, world_size(), ResultOutsideOfCases(Ending::kHang, NotStarted(why))}, OutputOf(missing));
}

/// Others are heard only where the blamed ranks said nothing: they may stand in the middle of a line.
std::string RankGroup::OutputOf(const std::vector<int>& blamed) const {
  std::string output;
  for (size_t i = 0; i < blamed.size() && output.empty(); ++i) output = OutputTail(OutputPath(folder_, blamed[i]));
  if (output.empty()) output = OutputTail(LauncherOutputPath());
  for (int rank = 0; rank < world_size() && output.empty(); ++rank) output = OutputTail(OutputPath(folder_, rank));
  return output;
}

RunResult RankGroup::ResultOutsideOfCases(Ending ending, std::string message) const {
  RunResult result{.ending = ending, .message = std::move(message)};
  for (int rank = 0; rank < world_size(); ++rank) {
    const std::optional<RankEnd>& end = ranks_[rank].end;
    result.reports.push_back({rank, end ? end->text : StandingOf(rank), OutputTail(OutputPath(folder_, rank))});
  }
  return result;
}

}  // namespace zerocts
