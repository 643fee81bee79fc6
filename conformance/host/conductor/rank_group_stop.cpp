// How a group ends: politely, and then what the ranks did instead of ending is told; or by force.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/system/runnable_clock.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kOthersSettle = milliseconds(250);  // for what is on its way: after a bad end, why others die of it
constexpr auto kGroupKillPatience = milliseconds(3000);

bool EndedWell(const RankEnd& end) { return end.ending == Ending::kEarlyExit; }

}  // namespace

void RankGroup::TellToStop() {
  if (spent_ || stop_by_) return;
  Pump(clock_.Now());  // who died since the last case?
  for (Rank& rank : ranks_) {
    if (rank.end && rank.end->answered()) rank.end.reset();
  }
  for (int rank = 0; rank < world_size(); ++rank) SendToRank(rank, Encode(StopMessage{}));
  stop_by_ = clock_.After(settings_.shutdown_deadline);
}

RunResult RankGroup::Stop() {
  if (spent_) return {};
  TellToStop();
  AwaitShutdown();
  RunResult result = ResultOfShutdown();
  EndProcesses();
  return result;
}

void RankGroup::AwaitShutdown() {
  WaitNotice notice(clock_, *stop_by_, settings_.notice_every);
  // Another group may have had its turn all the time.
  RunnableTime until = std::max<RunnableTime>(stop_by_->at, clock_.Now() + kOthersSettle);
  while (!processes_->AllEnded() && !processes_->LostProcess() && !clock_.Passed(until)) {
    Pump(until);
    if (FirstEnd(Ends(), &RankEnd::crashed) >= 0) until = std::min<RunnableTime>(until, clock_.Now() + kOthersSettle);
    notice.Tick([&] { return WaitedForRanks(StillRunning(), "to end"); });
  }
}

std::vector<int> RankGroup::StillRunning() const {
  std::vector<int> running = WithoutEnd();
  std::erase_if(running, [&](int rank) {
    return ranks_[rank].process && ranks_[rank].process->Gone();
  });  // who started it may take longer
  return running;
}

/// A launcher that ends while its ranks end may take some of them along: only what they did themselves counts.
RunResult RankGroup::ResultOfShutdown() const {
  if (const int rank = FirstEnd(Ends(), [](const RankEnd& end) { return !EndedWell(end); }); rank >= 0) {
    return ResultOutsideOfCases(Ending::kCrash,
                                fmt::format("after the last case rank {} {}", rank, ranks_[rank].end->text));
  }
  const std::vector<int> running = StillRunning();
  if (running.empty() || processes_->LostProcess()) return {};
  std::string message = fmt::format("after the last case {} did not end within {:g} s", RankList(running),
                                    settings_.shutdown_deadline.count() / 1000.0);
  for (const int rank : running)
    message += fmt::format("{} rank {}: {}", rank == running.front() ? ";" : ",", rank, StandingOf(rank));
  return ResultOutsideOfCases(Ending::kHang, message + clock_.Stretch(*stop_by_));
}

void RankGroup::EndProcesses() {
  if (!processes_) return;
  for (int shim = 0; shim < processes_->shims(); ++shim) socket_.Send(ShimPeer(shim), Encode(StopMessage{}));
  const bool heard = processes_->AllStarted();  // a shim that has not come yet misses the message
  processes_->End(steady_clock::now() + (heard ? kGroupKillPatience : milliseconds(0)));
  processes_.reset();
  spent_ = true;
}

}  // namespace zerocts
