#include "conformance/host/conductor/rank_group.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/conductor/checkpoint_folder.hpp"
#include "conformance/host/conductor/shipped_inputs.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/own_words.hpp"
#include "conformance/host/system/process_state.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "conformance/host/wire/rendezvous_board.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {

namespace {

constexpr int64_t kBytesOfSavedElement = 16;  // in a checkpoint: a parameter, its master and two moments

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

}  // namespace

RankGroup::RankGroup(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings)
    : launcher_(launcher),
      from_command_(!subject.command.empty()),
      settings_(settings),
      folder_(NewFolder(settings.session_dir)),
      options_(subject.options),
      socket_(NewAddress(folder_, world_size), world_size, LauncherOf(launcher).Shims(world_size)),
      rendezvous_(world_size, clock_,
                  [this](int rank, uint64_t request, const RendezvousOutcome& outcome) {
                    SendToRank(rank, Encode(DoneMessage{request, outcome.code, outcome.text, outcome.value}));
                  }),
      ranks_(world_size) {
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

RankGroup::~RankGroup() {
  try {
    Stop();
  } catch (const std::exception&) {
    processes_.reset();  // kills them; why has been said where somebody could answer
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
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
    if (!c.checkpoint || !checkpoint_folder.empty()) return RunGuarded(c, checkpoint_folder, watcher);
    const CheckpointFolder own(folder_);
    return RunGuarded(c, own.path(), watcher);
  } catch (const std::exception& failed) {
    EndProcesses();
    throw HarnessError(SentenceOf(failed));
  }
}

RunResult RankGroup::RunGuarded(const Case& c, const std::string& checkpoint_folder, const StepWatcher& watcher) {
  case_ = &c;
  ++run_;
  ends_ = 0;
  next_step_ = FirstStep(c);
  stopped_ = false;
  settled_at_ = RunnableTime::max();
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    ranks_[rank].end.reset();
    ranks_[rank].observed.reset();
    ranks_[rank].stepped.reset();
    ForgetOutput(OutputPath(folder_, static_cast<int>(rank)));  // it belongs to earlier cases
  }
  if (std::string reason = Unsupported(c); !reason.empty())
    return ResultOf({Ending::kUnsupported, std::move(reason)}, Standings());
  rendezvous_.BeginCase();
  Pump(clock_.Now());  // who died since the last run?

  deadline_ = clock_.After(settings_.case_deadline);
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!ranks_[rank].end) SendRun(rank, c, checkpoint_folder);
  }
  const bool helps_out = !c.report_steps && !c.observe_profile;  // a core that ranks are timed on is theirs alone
  if (helps_out) InputHashes();                                  // while the ranks work
  AwaitEnds(watcher);
  if (Decide().ending == Ending::kObserved) FetchHeld();
  const std::vector<std::string>& input_hashes = InputHashes();

  CaseEnd end = Decide();
  for (int rank = 0; rank < world_size() && end.ending == Ending::kObserved; ++rank) {
    std::string& got = ranks_[rank].observed->observation.input_hash;
    if (ranks_[rank].hello->wants_inputs) got = input_hashes[rank];  // it had them from here
    if (got == input_hashes[rank]) continue;
    end = {Ending::kDisagreement,
           fmt::format(
               "rank {} was fed other inputs than the case says: expected hash {}, got {}; the worker is of another "
               "build or reads another text",
               rank, input_hashes[rank], got)};
  }
  return ResultOf(std::move(end), Standings());
}

const std::vector<std::string>& RankGroup::InputHashes() {
  Case fed = *case_;
  if (stopped_) fed.experiment.steps = next_step_;
  if (hashed_ == fed) return input_hashes_;
  std::vector<std::string> hashes;
  for (int rank = 0; rank < world_size(); ++rank) hashes.push_back(InputHash(fed, rank));
  input_hashes_ = std::move(hashes);
  hashed_ = std::move(fed);
  return input_hashes_;
}

std::string RankGroup::Unsupported(const Case& c) const {
  for (const Rank& rank : ranks_) {
    if (!rank.hello->wants_inputs) continue;
    if (std::string beyond = BeyondCapabilities(c, rank.capabilities, false); !beyond.empty())
      return NotDeclared(beyond);
  }
  return "";
}

void RankGroup::SendRun(int rank, const Case& c, const std::string& checkpoint_folder) {
  RunMessage run{run_, static_cast<uint32_t>(settings_.case_deadline.count()), ToJson(c).dump(), std::nullopt,
                 checkpoint_folder};
  if (ranks_[rank].hello->wants_inputs) run.inputs = ShippedInputsOf(c, rank);
  SendToRank(rank, Encode(run));
}

void RankGroup::AwaitEnds(const StepWatcher& watcher) {
  std::optional<WaitNotice> notice(std::in_place, clock_, deadline_, settings_.notice_every);
  while (!WithoutEnd().empty() && !clock_.Passed(std::min(deadline_.at, settled_at_))) {
    Pump(std::min(deadline_.at, settled_at_));
    if (failure_) throw HarnessError(*failure_);
    if (case_->report_steps && AnswerSteps(watcher)) notice.emplace(clock_, deadline_, settings_.notice_every);
    notice->Tick([&] { return WaitedForRanks(WithoutEnd(), AwaitedOfCase()); });
  }
}

std::string RankGroup::AwaitedOfCase() const {
  if (case_->report_steps) return fmt::format("to make step {}", next_step_);
  return case_->clause.empty() ? "to end their case" : "to answer a case of " + case_->clause;  // "": it is measured
}

bool RankGroup::AnswerSteps(const StepWatcher& watcher) {
  std::vector<SteppedMessage> of_ranks;
  const std::vector<int> going = WithoutEnd();
  for (const int rank : going) {
    if (!ranks_[rank].stepped) return false;
    of_ranks.push_back(*ranks_[rank].stepped);
  }
  if (going.empty()) return false;
  const bool all = std::ssize(going) == world_size();  // who is left of others has nobody to go on with
  const bool goes_on = all && (!watcher || watcher(of_ranks));
  ++next_step_;
  stopped_ = !goes_on;
  deadline_ = clock_.After(settings_.case_deadline);
  for (const int rank : going) {
    const uint64_t request = std::exchange(ranks_[rank].stepped, std::nullopt)->request;
    SendToRank(rank, Encode(DoneMessage{request, ZEROCTS_OK, "", goes_on ? kGoOn : kStopThere}));
  }
  return true;
}

RankEnds RankGroup::Ends() const {
  RankEnds ends;
  for (const Rank& rank : ranks_) ends.push_back(rank.end);
  return ends;
}

/// Large pieces came as hashes; equal ones, such as a parameter that every rank gathered, are fetched once.
void RankGroup::FetchHeld() {
  std::map<std::pair<std::string, int64_t>, const std::vector<float>*> fetched;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::vector<TensorRecord>& records = ranks_[rank].observed->observation.tensors;
    for (size_t i = 0; i < records.size(); ++i) {
      TensorRecord& record = records[i];
      const int64_t numel = record.interval.end - record.interval.begin;
      if (static_cast<int64_t>(record.values.size()) == numel) continue;
      const std::vector<float>*& same = fetched[{record.hash, numel}];
      if (same) {
        record.values = *same;
        continue;
      }
      values_.reset();
      SendToRank(static_cast<int>(rank), Encode(FetchMessage{run_, i}));
      while (!values_ && ranks_[rank].end->answered() && !clock_.Passed(deadline_.at)) Pump(deadline_.at);
      if (!ranks_[rank].end->answered()) return;
      if (!values_) {
        ranks_[rank].end.reset();
        return;
      }
      if (values_->record != i || static_cast<int64_t>(values_->values.size()) != numel ||
          HashOf(values_->values) != record.hash) {
        SetEnd(static_cast<int>(rank), {Ending::kGarbage, 0, "sent other values than those whose hash it had sent"});
        return;
      }
      record.values = std::move(values_->values);
      same = &record.values;
    }
  }
}

/// Ranks fail in many ways where nothing can be written any more: no fault of theirs. What they wrote for this case
/// still stands.
void RankGroup::ExpectRoom(const CaseEnd& end) const {
  const int64_t saved = TotalNumel(case_->experiment) * world_size() * kBytesOfSavedElement;
  const std::string lack = LackOfRoom(settings_.session_dir, kRoomOfRun + saved);
  if (!lack.empty()) throw Shortage(fmt::format("{} (after {})", lack, end.message));
}

RunResult RankGroup::ResultOf(CaseEnd end, const std::vector<std::string>& standing) {
  const bool observed = end.ending == Ending::kObserved;
  if (!observed && end.ending != Ending::kRefused && end.ending != Ending::kUnsupported) EndProcesses();
  if (!observed && end.ending != Ending::kUnsupported) ExpectRoom(end);
  RunResult result;
  result.ending = end.ending;
  result.message = std::move(end.message);
  for (size_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    RankReport report{static_cast<int>(r), rank.end ? rank.end->text : standing[r], ""};
    if (rank.end && rank.end->ending == Ending::kRefused) report.status = rank.end->code;
    if (rank.observed) {
      for (const std::string& note : rank.observed->notes) report.state += "; " + note;
    }
    if (!observed) report.output = OutputTail(OutputPath(folder_, report.rank));
    result.reports.push_back(std::move(report));
    if (observed) result.ranks.push_back(std::move(rank.observed->observation));
  }
  return result;
}

CaseEnd RankGroup::Decide() const {
  CaseEnd end = EndOfCase(Ends(), Standings());
  if (end.ending == Ending::kHang) end.message += clock_.Stretch(deadline_);
  return end;
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

std::string RankGroup::StandingOf(int rank) const {
  if (!ranks_[rank].hello) return processes_->StateOf(rank) + ", before its hello";
  const int pid = ranks_[rank].hello->pid;
  const std::string state = ranks_[rank].process ? ProcessStateText(pid) : "which zerocts cannot watch from here";
  return fmt::format("pid {}{}{}, stands {}", pid, state.empty() ? "" : ", ", state, Stood(rank));
}

std::vector<std::string> RankGroup::Standings() const {
  std::vector<std::string> standings;
  for (int rank = 0; rank < world_size(); ++rank) standings.push_back(ranks_[rank].end ? "" : StandingOf(rank));
  return standings;
}

std::vector<int> RankGroup::WithoutEnd() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!ranks_[rank].end) ranks.push_back(rank);
  }
  return ranks;
}

WaitedFor RankGroup::WaitedForRanks(const std::vector<int>& ranks, const std::string& to_do) const {
  if (ranks.empty()) return {"what started the ranks " + to_do, ""};
  const std::string which = ranks.size() == 1 ? "" : fmt::format("rank {}: ", ranks.front());
  return {RankList(ranks) + " " + to_do, which + StandingOf(ranks.front())};
}

}  // namespace zerocts
