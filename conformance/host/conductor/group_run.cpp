#include "conformance/host/conductor/group_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/conductor/shipped_inputs.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;

constexpr auto kWaitAfterDeath = milliseconds(250);  // after a death: others die of it, and pages are written
constexpr auto kLeastRefusalGrace = milliseconds(2000);
constexpr int64_t kBytesOfSavedElement = 16;  // in a checkpoint: a parameter, its master and two moments

/// An observation must be about the case: its parameters, and inside of them.
void ExpectRecordsOf(const Case& c, int rank, const RankObservation& o) {
  const auto& parameters = c.experiment.parameters;
  if (o.rank != rank) throw ProtocolError(fmt::format("observed: expected rank {}, got {}", rank, o.rank));
  if (o.owned.size() != parameters.size()) {
    throw ProtocolError(
        fmt::format("observed: expected owned intervals of {} parameters, got {}", parameters.size(), o.owned.size()));
  }
  for (const TensorRecord& record : o.tensors) {
    const bool known = static_cast<size_t>(record.parameter) < parameters.size() && record.step < c.experiment.steps;
    if (!known || record.interval.end > parameters[record.parameter].numel()) {
      throw ProtocolError(fmt::format(
          "observed: expected pieces of the case's parameters, got step {}, parameter {}, elements {} to {}",
          record.step, record.parameter, record.interval.begin, record.interval.end));
    }
  }
}

int64_t NumelOf(const TensorRecord& record) { return record.interval.end - record.interval.begin; }

}  // namespace

GroupRun::GroupRun(RankGroup& group, const Case& c)
    : group_(group),
      case_(c),
      store_(group.world_size(), group.clock_,
             [&group](int rank, uint64_t request, const StoreOutcome& outcome) {
               group.SendToRank(rank, Encode(DoneMessage{request, outcome.code, outcome.text, outcome.value}));
             }),
      observed_(group.ranks_.size()),
      stepped_(group.ranks_.size()),
      ends_(group.ranks_.size()),
      next_step_(FirstStep(c)) {
  ++group.runs_;
  group.run_ = this;
}

RunResult GroupRun::Run(const std::string& checkpoint_folder, const StepWatcher& watcher) {
  for (int rank = 0; rank < group_.world_size(); ++rank)
    ForgetOutput(OutputPath(group_.folder_, rank));  // it belongs to earlier cases
  if (std::string reason = Unsupported(); !reason.empty()) return ResultOf({Ending::kUnsupported, std::move(reason)});
  group_.Pump(group_.clock_.Now());  // who died since the last run?

  deadline_ = group_.clock_.After(group_.case_deadline());
  for (const int rank : WithoutEnd(ends_)) Send(rank, checkpoint_folder);
  const bool helps_out =
      !case_.report_steps && !case_.observe_profile;  // a core that ranks are timed on is theirs alone
  if (helps_out) InputHashes();                       // while the ranks work
  AwaitEnds(watcher);
  if (Decide().ending == Ending::kObserved) FetchHeld();
  CaseEnd end = Decide();
  return ResultOf(end.ending == Ending::kObserved ? CompareInputs() : std::move(end));
}

std::string GroupRun::Unsupported() const {
  for (const RankGroup::Rank& rank : group_.ranks_) {
    if (!rank.hello->wants_inputs) continue;
    if (std::string beyond = BeyondCapabilities(case_, rank.capabilities, false); !beyond.empty())
      return NotDeclared(beyond);
  }
  return "";
}

void GroupRun::Send(int rank, const std::string& checkpoint_folder) {
  RunMessage run{group_.runs_, static_cast<uint32_t>(group_.case_deadline().count()), ToJson(case_).dump(),
                 std::nullopt, checkpoint_folder};
  if (group_.hello(rank).wants_inputs) run.inputs = ShippedInputsOf(case_, rank);
  group_.SendToRank(rank, Encode(run));
}

void GroupRun::AwaitEnds(const StepWatcher& watcher) {
  const auto notice_of_wait = [&] { return WaitNotice(group_.clock_, deadline_, group_.settings_.notice_every); };
  std::optional<WaitNotice> notice = notice_of_wait();
  while (!WithoutEnd(ends_).empty() && !group_.clock_.Passed(std::min(deadline_.at, stop_waiting_at_))) {
    group_.Pump(std::min(deadline_.at, stop_waiting_at_));
    ThrowIfInterrupted();
    if (group_.failure_) throw HarnessError(*group_.failure_);
    if (case_.report_steps && AnswerSteps(watcher)) notice.emplace(notice_of_wait());
    notice->Tick([&] { return group_.WaitedForRanks(WithoutEnd(ends_), Awaited()); });
  }
}

std::string GroupRun::Awaited() const {
  if (case_.report_steps) return fmt::format("to make step {}", next_step_);
  return case_.clause.empty() ? "to end their case" : "to answer a case of " + case_.clause;  // "": it is measured
}

bool GroupRun::AnswerSteps(const StepWatcher& watcher) {
  std::vector<SteppedMessage> of_ranks;
  const std::vector<int> going = WithoutEnd(ends_);
  for (const int rank : going) {
    if (!stepped_[rank]) return false;
    of_ranks.push_back(*stepped_[rank]);
  }
  if (going.empty()) return false;
  const bool all = std::ssize(going) == group_.world_size();  // who is left of others has nobody to go on with
  const bool goes_on = all && (!watcher || watcher(of_ranks));
  ++next_step_;
  stopped_ = !goes_on;
  deadline_ = group_.clock_.After(group_.case_deadline());
  for (const int rank : going) {
    const uint64_t request = std::exchange(stepped_[rank], std::nullopt)->request;
    group_.SendToRank(rank, Encode(DoneMessage{request, ZEROCTS_OK, "", goes_on ? kGoOn : kStopThere}));
  }
  return true;
}

/// Large pieces came as hashes; equal ones, such as a parameter that every rank gathered, are fetched once.
void GroupRun::FetchHeld() {
  std::map<std::pair<std::string, int64_t>, const std::vector<float>*> fetched;
  for (int rank = 0; rank < group_.world_size(); ++rank) {
    std::vector<TensorRecord>& records = observed_[rank]->observation.tensors;
    for (size_t i = 0; i < records.size(); ++i) {
      TensorRecord& record = records[i];
      if (std::ssize(record.values) == NumelOf(record)) continue;
      const std::vector<float>*& same = fetched[{record.hash, NumelOf(record)}];
      if (same) {
        record.values = *same;
      } else if (Fetch(rank, i, record)) {
        same = &record.values;
      } else {
        return;
      }
    }
  }
}

bool GroupRun::Fetch(int rank, size_t index, TensorRecord& record) {
  values_.reset();
  group_.SendToRank(rank, Encode(FetchMessage{group_.runs_, index}));
  while (!values_ && ends_[rank]->answered() && !group_.clock_.Passed(deadline_.at)) {
    group_.Pump(deadline_.at);
    ThrowIfInterrupted();
  }
  if (!ends_[rank]->answered()) return false;
  if (!values_) {
    ends_[rank].reset();
    return false;
  }
  if (values_->record != index || std::ssize(values_->values) != NumelOf(record) ||
      HashOf(values_->values) != record.hash) {
    SetEnd(rank, {Ending::kGarbage, 0, "sent other values than those whose hash it had sent"});
    return false;
  }
  record.values = std::move(values_->values);
  return true;
}

CaseEnd GroupRun::Decide() const {
  CaseEnd end = EndOfCase(ends_, LastPositions());
  if (end.ending == Ending::kHang) end.message += group_.clock_.Stretch(deadline_);
  return end;
}

CaseEnd GroupRun::CompareInputs() {
  const std::vector<std::string>& hashes = InputHashes();
  for (int rank = 0; rank < group_.world_size(); ++rank) {
    std::string& got = observed_[rank]->observation.input_hash;
    if (group_.hello(rank).wants_inputs) got = hashes[rank];  // it had them from here
    if (got == hashes[rank]) continue;
    return {Ending::kDisagreement,
            fmt::format(
                "rank {} was fed other inputs than the case says: expected hash {}, got {}; the worker is of another "
                "build or reads another text",
                rank, hashes[rank], got)};
  }
  return {};
}

const std::vector<std::string>& GroupRun::InputHashes() {
  Case fed = case_;
  if (stopped_) fed.experiment.steps = next_step_;
  auto& hashed = group_.hashed_;
  if (hashed && hashed->first == fed) return hashed->second;
  std::vector<std::string> hashes;
  for (int rank = 0; rank < group_.world_size(); ++rank) hashes.push_back(InputHash(fed, rank));
  return hashed.emplace(std::move(fed), std::move(hashes)).second;
}

std::vector<std::string> GroupRun::LastPositions() const {
  std::vector<std::string> last_positions(ends_.size());
  for (const int rank : WithoutEnd(ends_)) last_positions[rank] = group_.LastPositionOf(rank);
  return last_positions;
}

/// Ranks fail in many ways where nothing can be written any more: no fault of theirs. What they wrote for this case
/// still stands.
void GroupRun::ExpectRoom(const CaseEnd& end) const {
  const int64_t saved = TotalNumel(case_.experiment) * group_.world_size() * kBytesOfSavedElement;
  const std::string missing = MissingRoom(group_.settings_.session_dir, kRoomOfRun + saved);
  if (!missing.empty()) throw Shortage(fmt::format("{} (after {})", missing, end.message));
}

RunResult GroupRun::ResultOf(CaseEnd end) {
  const std::vector<std::string> last_positions = LastPositions();
  const bool observed = end.ending == Ending::kObserved;
  if (!observed && end.ending != Ending::kRefused && end.ending != Ending::kUnsupported) group_.EndProcesses();
  if (!observed && end.ending != Ending::kUnsupported) ExpectRoom(end);
  RunResult result{.ending = end.ending, .message = std::move(end.message)};
  for (int rank = 0; rank < group_.world_size(); ++rank) {
    std::optional<ObservedMessage>& shown = observed_[rank];
    RankReport report{rank, ends_[rank] ? ends_[rank]->text : last_positions[rank], ""};
    if (ends_[rank] && ends_[rank]->ending == Ending::kRefused) report.status = ends_[rank]->code;
    if (shown) {
      for (const std::string& note : shown->notes) report.state += "; " + note;
    }
    if (!observed) report.output = OutputTail(OutputPath(group_.folder_, rank));
    result.reports.push_back(std::move(report));
    if (observed) result.ranks.push_back(std::move(shown->observation));
  }
  return result;
}

void GroupRun::SetEnd(int rank, RankEnd end) {
  if (!Note(ends_, rank, end)) return;
  const RunnableTime now = group_.clock_.Now();
  const auto refusal_grace = std::max<milliseconds>(kLeastRefusalGrace, group_.case_deadline() / 4);
  const bool leaves_others_waiting = end.ending == Ending::kRefused || end.ending == Ending::kBreach;
  if (end.ending == Ending::kGarbage) stop_waiting_at_ = now;
  if (end.died()) stop_waiting_at_ = std::min<RunnableTime>(stop_waiting_at_, now + kWaitAfterDeath);
  if (leaves_others_waiting) stop_waiting_at_ = std::min<RunnableTime>(stop_waiting_at_, now + refusal_grace);
  store_.Leave(rank);
}

/// What a subject declares must work: its own word that it does not is a refusal.
void GroupRun::Handle(int rank, const UnsupportedMessage& message) {
  const Capabilities& can = group_.ranks_[rank].capabilities;
  const bool share_process = group_.launcher_ == LauncherKind::kThreads && group_.world_size() > 1;
  if (case_.undeclared || !BeyondCapabilities(case_, can, share_process).empty())
    return SetEnd(rank, {Ending::kUnsupported, 0, NotDeclared(message.reason)});
  SetEnd(rank, {Ending::kRefused, ZEROCTS_UNIMPLEMENTED,
                fmt::format("refused what it declares: {}; expected a result, or capabilities without one of what the "
                            "case needs: {}",
                            message.reason, NeededCapabilities(case_, can))});
}

void GroupRun::Handle(int rank, ObservedMessage&& message) {
  ExpectRecordsOf(case_, rank, message.observation);
  observed_[rank] = std::move(message);
  SetEnd(rank, {Ending::kObserved, 0, "observed"});
}

void GroupRun::Handle(int rank, SteppedMessage&& message) {
  if (!case_.report_steps || message.step != next_step_ || stepped_[rank]) {
    throw ProtocolError(fmt::format(
        "stepped: expected {}, got step {}",
        case_.report_steps ? fmt::format("step {} once", next_step_) : "nothing, for the case reports no steps",
        message.step));
  }
  const size_t hashes = message.parameters.size(), parameters = case_.experiment.parameters.size();
  if (hashes != 0 && hashes != parameters) {
    throw ProtocolError(fmt::format("stepped: expected hashes of {} parameters or none, got {}", parameters, hashes));
  }
  stepped_[rank] = std::move(message);
}

}  // namespace zerocts
