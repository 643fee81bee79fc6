// What a group does with each message.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/host/wire/rank_output.hpp"

namespace zerocts {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kTick = RunnableClock::kTick;       // between two looks at our processes
constexpr auto kDeathSettles = milliseconds(250);  // after a death: others die of it, and pages are written
constexpr auto kLeastRefusalGrace = milliseconds(2000);

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

}  // namespace

void RankGroup::Pump(RunnableTime until) {
  const SteadyTime tick = steady_clock::now() + kTick,
                   due = clock_.SleepUntil(std::min(until, rendezvous_.NextDeadline()));
  auto message = socket_.Receive(due);
  if (!message) clock_.Woke(due);
  for (; message; message = socket_.Receive(steady_clock::now())) {
    Receive(*message);
    if (steady_clock::now() >= tick) break;  // a peer that never stops to speak stops no deadline
  }
  rendezvous_.Expire();
  if (steady_clock::now() >= tick) NoteLostProcess();
}

void RankGroup::Receive(const GroupSocket::Message& message) {
  const int rank = message.from.number;
  const auto handle = [&](auto&& said) { Handle(rank, std::forward<decltype(said)>(said)); };
  try {
    if (message.from.role == Peer::Role::kShim) {
      std::visit(handle, DecodeFromShim(message.frames()));
    } else {
      std::visit(handle, DecodeFromRank(message.frames()));
    }
  } catch (const ProtocolError& wrong) {
    if (stop_by_) return;  // whatever it says instead of ending
    const bool other_version = dynamic_cast<const VersionError*>(&wrong);
    if (other_version && !ranks_[rank].hello) failure_ = fmt::format("rank {}: {}", rank, wrong.what());
    SetEnd(rank, {Ending::kGarbage, 0, fmt::format("sent what the protocol does not know: {}", wrong.what())});
  }
}

void RankGroup::Handle(int rank, HelloMessage&& message) {
  if (message.rank != rank || message.world_size != world_size()) {
    failure_ = fmt::format("rank {} says hello as rank {} of {}, expected rank {} of {}; check what its launcher sets",
                           rank, message.rank, message.world_size, rank, world_size());
    return;
  }
  try {
    ranks_[rank].capabilities = CapabilitiesOf(message, options_);
  } catch (const std::invalid_argument& wrong) {
    failure_ = fmt::format("rank {}: {}", rank, wrong.what());
    return;
  }
  const std::string page = fmt::format("{}/page{}", folder_, rank);
  ranks_[rank].page = std::make_unique<RankPage>(page);
  ranks_[rank].process = DescendantProcess::Prove(message.pid);
  ranks_[rank].hello = std::move(message);
  SendToRank(rank, Encode(WelcomeMessage{page, options_}));
}

void RankGroup::Handle(int rank, ObservedMessage&& message) {
  ExpectCurrentRun(message.run);
  ExpectRecordsOf(*case_, rank, message.observation);
  ranks_[rank].observed = std::move(message);
  SetEnd(rank, {Ending::kObserved, 0, "observed"});
}

void RankGroup::Handle(int rank, RefusedMessage&& message) {
  ExpectCurrentRun(message.run);
  SetEnd(rank, EndFrom(message));
}

void RankGroup::Handle(int rank, BreachMessage&& message) {
  ExpectCurrentRun(message.run);
  SetEnd(rank, {Ending::kBreach, 0, std::move(message.text)});
}

void RankGroup::Handle(int rank, UnsupportedMessage&& message) {
  ExpectCurrentRun(message.run);
  SetEnd(rank, {Ending::kUnsupported, 0, NotDeclared(message.reason)});
}

void RankGroup::Handle(int, FailedMessage&& message) { failure_ = std::move(message.sentence); }

void RankGroup::Handle(int, ValuesMessage&& message) {
  ExpectCurrentRun(message.run);
  values_ = std::move(message);
}

void RankGroup::Handle(int rank, PutMessage&& message) {
  ExpectCurrentRun(message.run);
  rendezvous_.Put(rank, message.request, std::move(message.key), std::move(message.value));
}

void RankGroup::Handle(int rank, GetMessage&& message) {
  ExpectCurrentRun(message.run);
  rendezvous_.Get(rank, message.request, std::move(message.key), message.bytes, message.deadline_ms);
}

void RankGroup::Handle(int rank, BarrierMessage&& message) {
  ExpectCurrentRun(message.run);
  rendezvous_.Barrier(rank, message.request, message.deadline_ms);
}

void RankGroup::Handle(int rank, SteppedMessage&& message) {
  ExpectCurrentRun(message.run);
  if (!case_->report_steps || message.step != next_step_ || ranks_[rank].stepped) {
    throw ProtocolError(fmt::format(
        "stepped: expected {}, got step {}",
        case_->report_steps ? fmt::format("step {} once", next_step_) : "nothing, for the case reports no steps",
        message.step));
  }
  const size_t hashes = message.parameters.size(), parameters = case_->experiment.parameters.size();
  if (hashes != 0 && hashes != parameters) {
    throw ProtocolError(fmt::format("stepped: expected hashes of {} parameters or none, got {}", parameters, hashes));
  }
  ranks_[rank].stepped = std::move(message);
}

void RankGroup::Handle(int shim, StartedMessage&& message) {
  if (message.rank != shim) throw ProtocolError(fmt::format("started: expected rank {}, got {}", shim, message.rank));
  processes_->Started(message);
}

void RankGroup::Handle(int shim, EndedMessage&& message) {
  if (message.rank != shim) throw ProtocolError(fmt::format("ended: expected rank {}, got {}", shim, message.rank));
  processes_->Ended(message);
  if (message.kind == EndKind::kNotStarted) {
    failure_ = message.text;
  } else {
    SetDeath(message.rank, message);
  }
}

void RankGroup::ExpectCurrentRun(uint64_t run) const {
  if (!case_ || run != run_)
    throw ProtocolError(fmt::format("expected a message of run {}, got one of run {}", run_, run));
}

void RankGroup::SetEnd(int rank, RankEnd end) {
  std::optional<RankEnd>& known = ranks_[rank].end;
  if (known && !(known->answered() && !end.answered())) return;  // only a death or garbage changes what is known
  const RunnableTime now = clock_.Now();
  const auto refusal_grace = std::max<milliseconds>(kLeastRefusalGrace, settings_.case_deadline / 4);
  if (end.ending == Ending::kGarbage) settled_at_ = now;
  if (end.died()) settled_at_ = std::min(settled_at_, now + kDeathSettles);
  const bool leaves_others_waiting = end.ending == Ending::kRefused || end.ending == Ending::kBreach;
  if (leaves_others_waiting) settled_at_ = std::min<RunnableTime>(settled_at_, now + refusal_grace);
  end.order = ends_++;
  known = std::move(end);
  rendezvous_.Leave(rank);
}

/// A command that started all ranks takes each with it. With ranks as threads one death is everybody's; the page of the
/// rank whose thread caused it says so.
void RankGroup::SetDeath(int shim, const EndedMessage& message) {
  if (launcher_ == LauncherKind::kCommand) {
    for (int rank = 0; rank < world_size(); ++rank) {
      RankEnd end = EndFrom(message, Stood(rank));
      end.text = "ended with the command that started all ranks, which " + end.text;
      SetEnd(rank, std::move(end));
    }
    return;
  }
  if (launcher_ != LauncherKind::kThreads) {
    SetEnd(shim, EndFrom(message, Stood(shim)));
    return;
  }
  int culprit = -1;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (ranks_[rank].page && ranks_[rank].page->Read().IsMarked()) culprit = rank;
  }
  if (culprit >= 0) SetEnd(culprit, EndFrom(message, Stood(culprit)));
  for (int rank = 0; rank < world_size(); ++rank) {
    if (rank == culprit) continue;
    RankEnd end = EndFrom(message, Stood(rank));
    if (culprit >= 0) end.text = fmt::format("ended with rank {}, a thread of the same process", culprit);
    SetEnd(rank, std::move(end));
  }
}

/// Ranks that another command started: only it knows how they ended.
void RankGroup::NoteGoneRanks() {
  if (launcher_ != LauncherKind::kCommand) return;
  std::vector<int> gone;
  for (int rank = 0; rank < world_size(); ++rank) {
    const bool known = ranks_[rank].end && !ranks_[rank].end->answered();
    if (!known && ranks_[rank].process && ranks_[rank].process->Gone()) gone.push_back(rank);
  }
  for (const int rank : gone) {
    const std::string together =
        gone.size() > 1
            ? fmt::format(" (gone at once: {}; who was first stands in the command's output)", RankList(gone))
            : "";
    SetEnd(rank,
           {Ending::kCrash, 0, fmt::format("ended before the case was done{}, it stood {}", together, Stood(rank))});
  }
}

void RankGroup::NoteLostProcess() {
  if (!processes_) return;
  NoteLauncherThatSaysTooMuch();
  if (!stop_by_) NoteGoneRanks();
  const auto lost = processes_->LostProcess();
  if (!lost || (stop_by_ && launcher_ == LauncherKind::kMpirun))
    return;  // mpirun goes when it misses MPI_Finalize of a rank
  for (int rank = 0; rank < world_size(); ++rank) {
    if (lost->rank >= 0 && lost->rank != rank) continue;
    if (ranks_[rank].end && !ranks_[rank].end->answered()) continue;
    SetEnd(rank,
           {Ending::kCrash, 0,
            fmt::format("lost its launcher's process, which {}; it stood {}", StatusText(lost->status), Stood(rank))});
  }
}

/// Shims look at what their ranks write.
void RankGroup::NoteLauncherThatSaysTooMuch() {
  const size_t bytes = FileBytes(LauncherOutputPath());
  if (bytes <= kMostOutputBytes) return;
  for (int rank = 0; rank < world_size(); ++rank) {
    SetEnd(rank, {Ending::kCrash, 0, fmt::format("was ended because its launcher {}", SaidTooMuch(bytes))});
  }
}

}  // namespace zerocts
