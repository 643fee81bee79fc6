#include "conformance/host/rank_group.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/cases/input_hash.hpp"
#include "conformance/host/capability_check.hpp"
#include "conformance/host/checkpoint_folder.hpp"
#include "conformance/host/launcher.hpp"
#include "conformance/host/output_tail.hpp"
#include "conformance/host/own_words.hpp"
#include "conformance/host/process_state.hpp"
#include "conformance/host/shim.hpp"
#include "conformance/host/shipped_inputs.hpp"
#include "conformance/host/shortage.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kFailurePatience = milliseconds(200);  // a rank says why before its shim says that it ended, by another way
constexpr auto kShutdownPatience = std::chrono::seconds(5);
constexpr auto kKillPatience = milliseconds(3000);
constexpr int64_t kBytesOfSavedElement = 16;  // in a checkpoint: a parameter, its master and two moments

std::string NewFolder(const std::string& session_dir) {
  static std::atomic<int> groups{0};
  const std::string folder = fmt::format("{}/g{}", session_dir, ++groups);
  if (!session_dir.empty()) RequireRoom(session_dir);
  std::error_code error;
  if (session_dir.empty() || !std::filesystem::create_directory(folder, error)) {
    throw HarnessError(fmt::format("session folder \"{}\": cannot make {} in it: {}", session_dir, folder, ReasonAndRemedy(error.value())));
  }
  return folder;
}

/// The socket's, for so many ranks; libzmq aborts where files run out.
std::string NewAddress(const std::string& folder, int world_size) {
  RequireLimits(world_size);
  return "ipc://" + folder + "/s";
}

}  // namespace

std::unique_ptr<Group> Group::Start(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings) {
  return std::make_unique<RankGroup>(subject, launcher, world_size, settings);
}

RankGroup::RankGroup(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings)
    : launcher_(launcher),
      settings_(settings),
      folder_(NewFolder(settings.session_dir)),
      options_(subject.options),
      socket_(NewAddress(folder_, world_size), world_size, LauncherOf(launcher).Shims(world_size)),
      rendezvous_(world_size,
                  [this](int rank, uint64_t request, const RendezvousOutcome& outcome) {
                    SendToRank(rank, Encode(DoneMessage{request, outcome.code, outcome.text, outcome.value}));
                  }),
      ranks_(world_size) {
  try {
    processes_ = std::make_unique<GroupProcesses>(subject, launcher, world_size, folder_, socket_.Variables());
    AwaitHello(steady_clock::now() + settings.start_deadline);
  } catch (...) {
    EndProcesses(false);
    RequireRoom(settings.session_dir);
    throw;
  }
}

RankGroup::~RankGroup() {
  EndProcesses(!spent_);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RankGroup::AwaitHello(SteadyTime until) {
  const auto up = [&] {
    return processes_->AllStarted() && std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.hello.has_value(); });
  };
  while (!up()) {
    Pump(until);
    if (processes_->AnyEnded() || processes_->LostProcess()) Pump(steady_clock::now() + kFailurePatience);
    if (failure_) throw HarnessError(*failure_);
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].end) ThrowNotStarted({static_cast<int>(rank)}, fmt::format("rank {} {}", rank, ranks_[rank].end->text));
    }
    if (up() || steady_clock::now() < until) continue;
    std::vector<int> missing;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!ranks_[rank].hello) missing.push_back(static_cast<int>(rank));
    }
    ThrowNotStarted(missing, fmt::format("{} did not come up within {} ms", RankList(missing), settings_.start_deadline.count()));
  }
}

void RankGroup::ThrowNotStarted(const std::vector<int>& blamed, const std::string& why) const {
  std::string output;  // of others only where the blamed ranks said nothing: others may stand in the middle of a line
  for (size_t i = 0; i < blamed.size() && output.empty(); ++i) output = OutputTail(OutputPath(folder_, blamed[i]), 0);
  if (output.empty()) output = OutputTail(folder_ + "/launcher.log", 0);
  for (int rank = 0; rank < world_size() && output.empty(); ++rank) output = OutputTail(OutputPath(folder_, rank), 0);
  throw HarnessError(fmt::format("the ranks do not start under launcher {}: {}{}{}{}", ToString(launcher_), why, socket_.Strangers(),
                                 output.empty() ? "" : "; output ends: ", output));
}

void RankGroup::EndProcesses(bool politely) {
  if (!processes_) return;
  if (politely) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) SendToRank(static_cast<int>(rank), Encode(StopMessage{}));
    const SteadyTime until = steady_clock::now() + kShutdownPatience;
    while (!processes_->AllEnded() && !processes_->LostProcess() && steady_clock::now() < until) Pump(until);
  }
  for (int shim = 0; shim < processes_->shims(); ++shim) socket_.Send(ShimPeer(shim), Encode(StopMessage{}));
  const bool heard = processes_->AllStarted();  // a shim that has not come yet misses the message
  processes_->End(steady_clock::now() + (heard ? kKillPatience : milliseconds(0)));
  processes_.reset();
  spent_ = true;
}

std::vector<int> RankGroup::rank_pids() const {
  std::vector<int> pids;
  for (const Rank& rank : ranks_) pids.push_back(rank.hello->pid);
  return pids;
}

RunResult RankGroup::Run(const Case& c, const std::string& checkpoint_folder) {
  if (spent_) throw HarnessError("this group is spent, start another one");
  if (c.world_size() != world_size()) {
    throw HarnessError(fmt::format("a case of {} ranks came to a group of {}", c.world_size(), world_size()));
  }
  try {
    if (!c.checkpoint || !checkpoint_folder.empty()) return RunGuarded(c, checkpoint_folder);
    const CheckpointFolder own(folder_);
    return RunGuarded(c, own.path());
  } catch (const std::exception& failed) {
    EndProcesses(false);
    throw HarnessError(SentenceOf(failed));
  }
}

RunResult RankGroup::RunGuarded(const Case& c, const std::string& checkpoint_folder) {
  case_ = &c;
  ++run_;
  ends_ = 0;
  settled_at_ = SteadyTime::max();
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    ranks_[rank].end.reset();
    ranks_[rank].observed.reset();
    ranks_[rank].output_from = FileBytes(OutputPath(folder_, static_cast<int>(rank)));
  }
  if (std::string reason = Unsupported(c); !reason.empty()) return ResultOf({Ending::kUnsupported, std::move(reason)}, Standings());
  rendezvous_.BeginCase();
  Pump(steady_clock::now());  // who died since the last run?

  const SteadyTime until = steady_clock::now() + settings_.case_deadline;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!ranks_[rank].end) SendRun(rank, c, checkpoint_folder);
  }
  std::vector<std::string> input_hashes;  // while the ranks work
  for (int rank = 0; rank < world_size(); ++rank) input_hashes.push_back(InputHash(c, rank));
  AwaitEnds(until);
  if (Decide().ending == Ending::kObserved) FetchHeld(until);

  CaseEnd end = Decide();
  for (int rank = 0; rank < world_size() && end.ending == Ending::kObserved; ++rank) {
    std::string& got = ranks_[rank].observed->observation.input_hash;
    if (ranks_[rank].hello->wants_inputs) got = input_hashes[rank];  // it had them from here
    if (got == input_hashes[rank]) continue;
    end = {Ending::kDisagreement, fmt::format("rank {} was fed other inputs than the case says: expected hash {}, got {}; the worker is of another "
                                              "build or reads another text", rank, input_hashes[rank], got)};
  }
  return ResultOf(std::move(end), Standings());
}

std::string RankGroup::Unsupported(const Case& c) const {
  for (const Rank& rank : ranks_) {
    if (!rank.hello->wants_inputs) continue;
    if (std::string beyond = BeyondCapabilities(c, rank.capabilities, false); !beyond.empty()) return NotDeclared(beyond);
  }
  return "";
}

void RankGroup::SendRun(int rank, const Case& c, const std::string& checkpoint_folder) {
  RunMessage run{run_, static_cast<uint32_t>(settings_.case_deadline.count()), ToJson(c).dump(), std::nullopt, checkpoint_folder};
  if (ranks_[rank].hello->wants_inputs) run.inputs = ShippedInputsOf(c, rank);
  SendToRank(rank, Encode(run));
}

void RankGroup::AwaitEnds(SteadyTime until) {
  const auto ended = [&] { return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.end.has_value(); }); };
  while (!ended() && steady_clock::now() < std::min(until, settled_at_)) {
    Pump(std::min(until, settled_at_));
    if (failure_) throw HarnessError(*failure_);
  }
}

CaseEnd RankGroup::Decide() const {
  RankEnds ends;
  for (const Rank& rank : ranks_) ends.push_back(rank.end);
  return EndOfCase(ends, Standings());
}

/// Large pieces came as hashes; equal ones, such as a parameter that every rank gathered, are fetched once.
void RankGroup::FetchHeld(SteadyTime until) {
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
      while (!values_ && ranks_[rank].end->answered() && steady_clock::now() < until) Pump(until);
      if (!ranks_[rank].end->answered()) return;
      if (!values_) {
        ranks_[rank].end.reset();
        return;
      }
      if (values_->record != i || static_cast<int64_t>(values_->values.size()) != numel || HashOf(values_->values) != record.hash) {
        SetEnd(static_cast<int>(rank), {RankEnd::Kind::kGarbage, 0, "sent other values than those whose hash it had sent"});
        return;
      }
      record.values = std::move(values_->values);
      same = &record.values;
    }
  }
}

/// Ranks fail in many ways where nothing can be written any more: no fault of theirs. What they wrote for this case still stands.
void RankGroup::ExpectRoom(const CaseEnd& end) const {
  const int64_t saved = TotalNumel(case_->experiment) * world_size() * kBytesOfSavedElement;
  const std::string lack = LackOfRoom(settings_.session_dir, kRoomOfRun + saved);
  if (!lack.empty()) throw Shortage(fmt::format("{} (after {})", lack, end.message));
}

RunResult RankGroup::ResultOf(CaseEnd end, const std::vector<std::string>& standing) {
  const bool observed = end.ending == Ending::kObserved;
  if (!observed && end.ending != Ending::kRefused && end.ending != Ending::kUnsupported) EndProcesses(false);
  if (!observed && end.ending != Ending::kUnsupported) ExpectRoom(end);
  RunResult result;
  result.ending = end.ending;
  result.message = std::move(end.message);
  for (size_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    RankReport report{static_cast<int>(r), rank.end ? rank.end->text : standing[r], ""};
    if (rank.observed) {
      for (const std::string& note : rank.observed->notes) report.state += "; " + note;
    }
    if (!observed || settings_.verbose) report.output = OutputTail(OutputPath(folder_, report.rank), rank.output_from);
    if (settings_.verbose && !report.output.empty()) fmt::print(stderr, "[rank {}] {}\n", r, report.output);
    result.reports.push_back(std::move(report));
    if (observed) result.ranks.push_back(std::move(rank.observed->observation));
  }
  return result;
}

std::string RankGroup::Stood(int rank) const {
  const Rank& r = ranks_[rank];
  return r.page ? ToString(r.page->Read()) : "before its hello";
}

std::string RankGroup::StandingOf(int rank) const {
  const int pid = ranks_[rank].hello->pid;
  const std::string state = ranks_[rank].process ? ProcessStateText(pid) : "which zerocts cannot watch from here";
  return fmt::format("pid {}{}{}, stands {}", pid, state.empty() ? "" : ", ", state, Stood(rank));
}

std::vector<std::string> RankGroup::Standings() const {
  std::vector<std::string> standings;
  for (int rank = 0; rank < world_size(); ++rank) standings.push_back(ranks_[rank].end ? "" : StandingOf(rank));
  return standings;
}

}  // namespace zerocts
