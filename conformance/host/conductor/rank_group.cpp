#include "conformance/host/conductor/rank_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <utility>

#include "conformance/host/conductor/checkpoint_folder.hpp"
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_run.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/own_words.hpp"
#include "conformance/host/system/process_state.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;

constexpr auto kFailurePatience =
    milliseconds(200);  // a rank says why before its shim says that it ended, by another way
constexpr int kCannotBeExecuted = 126, kNotFound = 127;  // exit codes of a shell about its command
constexpr auto kWaitForOthers = milliseconds(250);  // for what is on its way: after a bad end, why others die of it
constexpr auto kGroupKillPatience = milliseconds(3000);

bool EndedWell(const RankEnd& end) { return end.ending == Ending::kEarlyExit; }

std::string NewFolder(const std::string& session_dir) {
  static std::atomic<int> groups{0};
  const std::string folder = fmt::format("{}/g{}", session_dir, ++groups);
  if (!session_dir.empty()) RequireRoom(session_dir);
  std::error_code error;
  if (session_dir.empty() || !std::filesystem::create_directory(folder, error)) {
    throw HarnessError(fmt::format("session folder \"{}\": cannot make {} in it: {}", session_dir, folder,
                                   ReasonAndRemedy(error.value())));
  }
  return folder;
}

/// The socket's, for so many ranks; libzmq aborts where files run out.
std::string NewAddress(const std::string& folder, int world_size) {
  RequireLimits(world_size);
  return "ipc://" + folder + "/s";
}

/// What ranks and shims find in their environment. Ranks that one process starts cannot each have their own cores.
std::vector<std::pair<std::string, std::string>> VariablesOf(const GroupSocket& socket, const HostSettings& settings,
                                                             bool has_shim_per_rank) {
  auto variables = socket.Variables();
  if (settings.binds_ranks && has_shim_per_rank) variables.emplace_back(kBindVariable, "1");
  return variables;
}

/// A small case that is like this one: what ranks make once and for good is there after it.
Case WarmUpOf(Case c) {
  constexpr int64_t kMostRows = 64;
  c.checkpoint.reset();
  c.extra_calls.clear();
  c.experiment.planted.clear();
  if (c.experiment.model) return c;
  for (ParameterSpec& parameter : c.experiment.parameters) {
    for (int64_t& rows : parameter.shape) rows = std::min(rows, kMostRows);
  }
  return c;
}

}  // namespace

RankGroup::RankGroup(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings)
    : launcher_(launcher),
      from_command_(!subject.command.empty()),
      settings_(settings),
      folder_(NewFolder(settings.session_dir)),
      options_(subject.options),
      socket_(NewAddress(folder_, world_size), world_size, LauncherOf(launcher).Shims(world_size)),
      ranks_(world_size),
      losses_(world_size) {
  const Deadline deadline = clock_.After(settings.start_deadline);
  try {
    const bool has_shim_per_rank = LauncherOf(launcher).Shims(world_size) == world_size;
    processes_ = std::make_unique<GroupProcesses>(subject, launcher, world_size, folder_,
                                                  VariablesOf(socket_, settings, has_shim_per_rank));
    AwaitHello(deadline);
  } catch (...) {
    EndProcesses();
    RequireRoom(settings.session_dir);
    throw;
  }
}

void RankGroup::AwaitHello(const Deadline& deadline) {
  WaitNotice notice(clock_, deadline, settings_.notice_every);
  std::vector<int> missing;
  while (!(missing = WithoutHello()).empty()) {
    Pump(deadline.at);
    ThrowIfInterrupted();
    if (processes_->AnyEnded() || processes_->LostProcess()) Pump(clock_.Now() + kFailurePatience);
    if (failure_) throw NotASubject(*failure_);
    if ((missing = WithoutHello()).empty()) return;  // who ends after all said hello has started
    if (const int rank = FirstEnd(losses_, [](const RankEnd&) { return true; }); rank >= 0) ThrowStartEnded(rank);
    if (clock_.Passed(deadline.at)) ThrowStartHangs(missing, deadline);
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
  const RankEnd& end = *losses_[rank];
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
  const std::string why =
      fmt::format("{} did not say hello within {:g} s", RankList(missing), deadline.span.count() / 1000.0) +
      EachRank(missing, [&](int rank) { return processes_->StateOf(rank); }) + clock_.Stretch(deadline) +
      socket_.Strangers();
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
    const std::optional<RankEnd>& end = losses_[rank];
    result.reports.push_back({rank, end ? end->text : LastPositionOf(rank), OutputTail(OutputPath(folder_, rank))});
  }
  return result;
}

RankGroup::~RankGroup() {
  try {
    Stop();
  } catch (const std::exception&) {
    processes_.reset();  // kills them; why has been said where somebody could answer
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

/// Many ranks that are threads of one process take turns.
std::chrono::milliseconds RankGroup::case_deadline() const {
  constexpr int kRanksPerDeadline = 32;
  const int times = launcher_ == LauncherKind::kThreads ? 1 + world_size() / kRanksPerDeadline : 1;
  return times * settings_.case_deadline;
}

std::vector<int> RankGroup::rank_pids() const {
  std::vector<int> pids;
  for (const Rank& rank : ranks_) pids.push_back(rank.hello->pid);
  return pids;
}

std::vector<GroupNote> RankGroup::Notes() const {
  std::vector<GroupNote> notes;
  for (int rank = 0; rank < world_size(); ++rank) {
    for (const std::string& text : hello(rank).notes) notes.push_back({launcher_, world_size(), rank, text});
  }
  return notes;
}

RunResult RankGroup::Run(const Case& c, const std::string& checkpoint_folder, const StepWatcher& watcher) {
  if (spent_) throw HarnessError("this group is spent, start another one");
  if (c.world_size() != world_size()) {
    throw HarnessError(fmt::format("a case of {} ranks came to a group of {}", c.world_size(), world_size()));
  }
  try {
    std::optional<CheckpointFolder> own;
    if (HasCheckpoints(c) && checkpoint_folder.empty()) own.emplace(folder_);
    if (c.observe_memory && !std::exchange(warm_, true)) {
      RunResult first = GroupRun(*this, WarmUpOf(c)).Run("", {});
      if (spent_) return first;
    }
    return GroupRun(*this, c).Run(own ? own->path() : checkpoint_folder, watcher);
  } catch (const Interrupted&) {
    EndProcesses();
    throw;
  } catch (const std::exception& failed) {
    EndProcesses();
    throw HarnessError(SentenceOf(failed));
  }
}

void RankGroup::TellToStop() {
  if (spent_ || stop_by_) return;
  Pump(clock_.Now());  // who died since the last case?
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
  RunnableTime until = std::max<RunnableTime>(stop_by_->at, clock_.Now() + kWaitForOthers);
  while (!processes_->AllEnded() && !processes_->LostProcess() && !clock_.Passed(until)) {
    Pump(until);
    if (FirstEnd(losses_, &RankEnd::crashed) >= 0) until = std::min<RunnableTime>(until, clock_.Now() + kWaitForOthers);
    notice.Tick([&] { return WaitedForRanks(StillRunning(), "to end"); });
  }
}

std::vector<int> RankGroup::StillRunning() const {
  std::vector<int> running = WithoutEnd(losses_);
  std::erase_if(running, [&](int rank) {
    return ranks_[rank].process && ranks_[rank].process->Gone();
  });  // who started it may take longer
  return running;
}

/// A launcher that ends while its ranks end may take some of them along: only what they did themselves counts.
RunResult RankGroup::ResultOfShutdown() const {
  const char* const when = runs_ == 0 ? "after its hello" : "after the last case";
  if (const int rank = FirstEnd(losses_, [](const RankEnd& end) { return !EndedWell(end); }); rank >= 0) {
    return ResultOutsideOfCases(Ending::kCrash, fmt::format("{} rank {} {}", when, rank, losses_[rank]->text));
  }
  const std::vector<int> running = StillRunning();
  if (running.empty() || processes_->LostProcess()) return {};
  const std::string message = fmt::format("{} {} did not end within {:g} s", when, RankList(running),
                                          settings_.shutdown_deadline.count() / 1000.0) +
                              EachRank(running, [&](int rank) { return LastPositionOf(rank); });
  return ResultOutsideOfCases(Ending::kHang, message + clock_.Stretch(*stop_by_));
}

void RankGroup::EndProcesses() {
  if (!processes_) return;
  for (int shim = 0; shim < processes_->shims(); ++shim) socket_.Send(ShimPeer(shim), Encode(StopMessage{}));
  const bool heard = processes_->AllStarted();  // a shim that has not come yet misses the message
  processes_->End(std::chrono::steady_clock::now() + (heard ? kGroupKillPatience : milliseconds(0)));
  processes_.reset();
  spent_ = true;
}

std::set<pid_t> RankGroup::Processes() const {
  std::set<pid_t> pids;
  for (int rank = 0; processes_ && rank < world_size(); ++rank)
    pids.insert(ranks_[rank].process ? ranks_[rank].process->pid() : processes_->PidOf(rank));
  return pids;
}

std::string RankGroup::Stood(int rank) const {
  const Rank& r = ranks_[rank];
  return r.page ? ToString(r.page->Read()) : "before its hello";
}

std::string RankGroup::LastPositionOf(int rank) const {
  if (!ranks_[rank].hello) return processes_->StateOf(rank) + ", before its hello";
  const int pid = ranks_[rank].hello->pid;
  const std::string state = ranks_[rank].process ? ProcessStateText(pid) : "which zerocts cannot watch from here";
  return fmt::format("pid {}{}{}, stands {}", pid, state.empty() ? "" : ", ", state, Stood(rank));
}

WaitedFor RankGroup::WaitedForRanks(const std::vector<int>& ranks, const std::string& to_do) const {
  if (ranks.empty()) return {"what started the ranks " + to_do, ""};
  const std::string which = ranks.size() == 1 ? "" : fmt::format("rank {}: ", ranks.front());
  return {RankList(ranks) + " " + to_do, which + LastPositionOf(ranks.front())};
}

}  // namespace zerocts
