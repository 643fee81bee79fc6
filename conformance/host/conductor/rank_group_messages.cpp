// What a group does with each message.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/host/conductor/group_run.hpp"
#include "conformance/host/wire/capability_check.hpp"
#include "conformance/host/wire/rank_output.hpp"

namespace zerocts {

using std::chrono::steady_clock;

void RankGroup::Pump(RunnableTime until) {
  if (run_) until = std::min(until, run_->store().NextDeadline());
  const SteadyTime tick = steady_clock::now() + RunnableClock::kTick, due = clock_.SleepUntil(until);
  auto message = socket_.Receive(due);
  if (!message) clock_.Woke(due);
  for (; message; message = socket_.Receive(steady_clock::now())) {
    Receive(*message);
    if (steady_clock::now() >= tick) break;  // a peer that never stops to speak stops no deadline
  }
  if (run_) run_->store().Expire();
  if (steady_clock::now() >= tick) NoteLostProcess();
}

void RankGroup::Receive(const GroupSocket::Message& message) {
  const int rank = message.from.number;
  const auto handle = [&](auto&& said) {
    if constexpr (requires { said.run; }) {
      ExpectCurrentRun(said.run);
      if (run_) run_->Handle(rank, std::move(said));
    } else {
      Handle(rank, std::move(said));
    }
  };
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
    SetLoss(rank, {Ending::kGarbage, 0, fmt::format("sent what the protocol does not know: {}", wrong.what())});
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

void RankGroup::Handle(int, FailedMessage&& message) { failure_ = std::move(message.sentence); }

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
  if (runs_ == 0 || run != runs_)
    throw ProtocolError(fmt::format("expected a message of run {}, got one of run {}", runs_, run));
}

void RankGroup::SetLoss(int rank, RankEnd loss) {
  Note(losses_, rank, loss);
  if (run_) run_->SetEnd(rank, std::move(loss));
}

/// A command that started all ranks takes each with it. With ranks as threads one death is everybody's; the page of the
/// rank whose thread caused it says so.
void RankGroup::SetDeath(int shim, const EndedMessage& message) {
  if (launcher_ == LauncherKind::kCommand) {
    for (int rank = 0; rank < world_size(); ++rank) {
      RankEnd end = EndFrom(message, Stood(rank));
      end.text = "ended with the command that started all ranks, which " + end.text;
      SetLoss(rank, std::move(end));
    }
    return;
  }
  if (launcher_ != LauncherKind::kThreads) {
    SetLoss(shim, EndFrom(message, Stood(shim)));
    return;
  }
  int culprit = -1;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (ranks_[rank].page && ranks_[rank].page->Read().IsMarked()) culprit = rank;
  }
  if (culprit >= 0) SetLoss(culprit, EndFrom(message, Stood(culprit)));
  for (int rank = 0; rank < world_size(); ++rank) {
    if (rank == culprit) continue;
    RankEnd end = EndFrom(message, Stood(rank));
    if (culprit >= 0) end.text = fmt::format("ended with rank {}, a thread of the same process", culprit);
    SetLoss(rank, std::move(end));
  }
}

/// Ranks that another command started: only it knows how they ended.
void RankGroup::NoteGoneRanks() {
  if (launcher_ != LauncherKind::kCommand) return;
  std::vector<int> gone;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!losses_[rank] && ranks_[rank].process && ranks_[rank].process->Gone()) gone.push_back(rank);
  }
  for (const int rank : gone) {
    const std::string together =
        gone.size() > 1
            ? fmt::format(" (gone at once: {}; who was first stands in the command's output)", RankList(gone))
            : "";
    SetLoss(rank,
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
    if (losses_[rank]) continue;
    SetLoss(rank,
            {Ending::kCrash, 0,
             fmt::format("lost its launcher's process, which {}; it stood {}", StatusText(lost->status), Stood(rank))});
  }
}

/// Shims look at what their ranks write.
void RankGroup::NoteLauncherThatSaysTooMuch() {
  const size_t bytes = FileBytes(LauncherOutputPath());
  if (bytes <= kMostOutputBytes) return;
  for (int rank = 0; rank < world_size(); ++rank) {
    SetLoss(rank, {Ending::kCrash, 0, fmt::format("was ended because its launcher {}", SaidTooMuch(bytes))});
  }
}

}  // namespace zerocts
