// A worker's ranks: each has its own connection and thread and runs cases until the conductor says stop.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/host/rank/breaches.hpp"
#include "conformance/host/rank/case_runner.hpp"
#include "conformance/host/rank/crash_mark.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/rank/thread_store.hpp"
#include "conformance/host/rank/watchdog.hpp"
#include "conformance/host/rank/worker.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/own_words.hpp"
#include "conformance/host/system/shortage.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/rank_identity.hpp"
#include "conformance/host/wire/store.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/numerics/arithmetic_canary.hpp"

namespace zerocts {

namespace {

/// What a rank asks the conductor inside a run, one question after the other.
class Questions {
 public:
  explicit Questions(zmq::socket_t& socket) : socket_(socket) {}
  void BeginCase(uint64_t run) { run_ = run; }

  /// Fills in run and request; waits for done. The watchdog ends a rank that is not answered.
  template <typename Message>
  StoreOutcome Ask(Message message) {
    message.run = run_;
    message.request = ++request_;
    SendFrames(socket_, Encode(message));
    for (;;) {
      const Received received = ReceiveFrames(socket_);
      ConductorMessage answer = DecodeFromConductor(ViewsOf(received));
      if (std::holds_alternative<StopMessage>(answer)) _exit(EXIT_SUCCESS);
      auto* done = std::get_if<DoneMessage>(&answer);
      if (done && done->request == request_) return {done->code, std::move(done->text), std::move(done->value)};
    }
  }

 private:
  zmq::socket_t& socket_;
  uint64_t run_ = 0, request_ = 0;
};

/// set, get and barrier by way of the conductor, for a rank that is a process.
class RemoteStore : public StoreClient {
 public:
  explicit RemoteStore(Questions& questions) : questions_(questions) {}

  StoreOutcome Set(std::string key, std::string value) override {
    return questions_.Ask(SetMessage{.key = std::move(key), .value = std::move(value)});
  }
  StoreOutcome Get(const std::string& key, uint64_t bytes, uint32_t deadline_ms) override {
    return questions_.Ask(GetMessage{.key = key, .bytes = bytes, .deadline_ms = deadline_ms});
  }
  StoreOutcome Barrier(uint32_t deadline_ms) override {
    return questions_.Ask(BarrierMessage{.deadline_ms = deadline_ms});
  }
  uint64_t KeptBytes() const override { return 0; }  // values are the conductor's

 private:
  Questions& questions_;
};

/// The case of a run, read once per process.
class CaseReader {
 public:
  std::shared_ptr<const Case> Read(uint64_t run, const std::string& case_json) {
    std::lock_guard lock(mutex_);
    if (!case_ || run_ != run) {
      case_ = std::make_shared<const Case>(CaseFromJson(ParseJson(case_json)));
      run_ = run;
    }
    return case_;
  }

 private:
  std::mutex mutex_;
  uint64_t run_ = 0;
  std::shared_ptr<const Case> case_;
};

/// What the ranks of a process share.
struct Shared {
  /// All ranks at once: what comes now is the process's.
  void Enter(const char* call) {
    for (const std::unique_ptr<RankPage>& page : pages) {
      if (page) page->Enter(call, -1, -1);
    }
  }

  const Plugin& plugin;
  zmq::context_t& context;
  Watchdog& watchdog;
  const OpenFilesLimit& files;
  int world_size, threads;
  ThreadStore store{world_size};
  MemoryMeter memory{threads};
  CaseReader cases;
  std::vector<std::unique_ptr<RankPage>> pages{static_cast<size_t>(threads)};  // of each rank that was welcomed
  std::latch all_welcomed{threads};  // before a rank's calls, as the subject may take from the process what others need
};

/// A rank that waits for what the conductor makes of a step is not late: its deadline counts from the answer on.
class RemoteSteps : public StepReporter {
 public:
  RemoteSteps(Questions& questions, Watchdog& watchdog, int slot)
      : questions_(questions), watchdog_(watchdog), slot_(slot) {}
  void BeginCase(const RankPage& page, uint32_t deadline_ms) {
    page_ = &page;
    deadline_ms_ = deadline_ms;
    watchdog_.CaseBegins(slot_, page, deadline_ms);
  }

  bool GoesOnAfter(SteppedMessage step) override {
    watchdog_.CaseEnds(slot_);
    const StoreOutcome answer = questions_.Ask(std::move(step));
    watchdog_.CaseBegins(slot_, *page_, deadline_ms_);
    return answer.value == kGoOn;
  }

 private:
  Questions& questions_;
  Watchdog& watchdog_;
  const int slot_;
  const RankPage* page_ = nullptr;
  uint32_t deadline_ms_ = 0;
};

class RankLoop {
 public:
  RankLoop(Shared& shared, int rank)
      : shared_(shared),
        rank_(rank),
        slot_(shared.threads > 1 ? rank : 0),
        socket_(ConnectToConductor(shared.context, RankPeer(rank))),
        questions_(socket_),
        remote_(questions_),
        steps_(questions_, shared.watchdog, slot_),
        among_threads_(shared.store.RankEnd(rank)) {}

  void Run() {
    try {
      SayHello();
      while (Serve()) {
      }
    } catch (const std::exception& failed) {
      SendFrames(socket_, Encode(FailedMessage{fmt::format("rank {}: {}", rank_, SentenceOf(failed))}));
    }
  }

 private:
  void SayHello() {
    const zerocts_subject& table = shared_.plugin.table();
    HelloMessage hello{rank_,         shared_.world_size, getpid(),          table.name,
                       table.version, table.description,  table.capabilities};
    if (const std::string& note = shared_.plugin.loading_note(); !note.empty()) hello.notes.push_back(note);
    SendFrames(socket_, Encode(hello));
  }

  /// Answers one message; false: it was stop.
  bool Serve() {
    const Received received = ReceiveFrames(socket_);  // the watchdog ends it when the conductor is gone
    const ConductorMessage message = DecodeFromConductor(ViewsOf(received));
    if (auto* welcome = std::get_if<WelcomeMessage>(&message)) Welcome(*welcome);
    if (auto* run = std::get_if<RunMessage>(&message)) RunOne(*run);
    if (auto* fetch = std::get_if<FetchMessage>(&message)) SendValues(*fetch);
    return !std::holds_alternative<StopMessage>(message);
  }

  void Welcome(const WelcomeMessage& welcome) {
    page() = std::make_unique<RankPage>(welcome.page);
    options_ = welcome.options;
    can_ = CapabilitiesFromJson(shared_.plugin.table().capabilities, options_);
    NameCrashes();
    if (shared_.threads > 1) MarkCrashesOn(*page());
    shared_.all_welcomed.count_down();
  }

  void RunOne(const RunMessage& message) {
    if (!page()) throw HarnessError("expected a welcome before the first run");
    answer_ = {};  // its memory is none of the subject's
    const std::shared_ptr<const Case> c = shared_.cases.Read(message.run, message.case_json);
    steps_.BeginCase(*page(), message.deadline_ms);
    shared_.all_welcomed.wait();
    const bool threads = shared_.threads > 1;
    if (threads) shared_.store.BeginCase(message.run);
    questions_.BeginCase(message.run);
    StoreClient& store = threads ? *among_threads_ : remote_;
    const RankSetting setting{shared_.plugin, can_,  rank_,   shared_.world_size, shared_.threads,
                              options_,       store, *page(), shared_.memory,     &steps_};
    answer_ = Answer(setting, *c, message);
    if (threads) shared_.store.Leave(rank_);
    shared_.watchdog.CaseEnds(slot_);
    SendFrames(socket_, std::visit([](const auto& answer) { return Encode(answer); }, answer_));
  }

  /// What fails because the subject took the process's files is its breach.
  CaseAnswer Answer(const RankSetting& setting, const Case& c, const RunMessage& message) {
    try {
      return RunCase(setting, c, message.run, message.deadline_ms, message.checkpoint_folder);
    } catch (const std::exception& failed) {
      const std::string lowered = shared_.files.Lowered();
      if (lowered.empty()) throw;
      Breaches breaches;
      breaches.Add(fmt::format("{} and so took from the worker what it needs ({})", lowered, SentenceOf(failed)),
                   page()->Read());
      return BreachMessage{message.run, breaches.Sentence()};
    }
  }

  void SendValues(const FetchMessage& fetch) {
    const auto* observed = std::get_if<ObservedMessage>(&answer_);
    if (!observed || observed->run != fetch.run || fetch.record >= observed->observation.tensors.size()) {
      throw HarnessError(fmt::format("fetch of record {} of run {}, which is not kept", fetch.record, fetch.run));
    }
    SendFrames(socket_,
               Encode(ValuesMessage{fetch.run, fetch.record, observed->observation.tensors[fetch.record].values}));
  }

  std::unique_ptr<RankPage>& page() { return shared_.pages[slot_]; }

  Shared& shared_;
  int rank_, slot_;
  zmq::socket_t socket_;
  Questions questions_;
  RemoteStore remote_;
  RemoteSteps steps_;
  std::unique_ptr<StoreClient> among_threads_;
  std::vector<std::pair<std::string, std::string>> options_;
  Capabilities can_;
  CaseAnswer answer_;  // kept until the next run, for fetch
};

/// Why no rank of this process can work, told to the conductor by each of them.
void TellFailure(zmq::context_t& context, int first_rank, int ranks, const std::string& sentence) {
  for (int rank = first_rank; rank < first_rank + ranks; ++rank) {
    zmq::socket_t socket = ConnectToConductor(context, RankPeer(rank));
    SendFrames(socket, Encode(FailedMessage{sentence}));
  }
}

void RunRanks(Shared& shared, int first_rank) {
  if (shared.threads == 1) {
    RankLoop(shared, first_rank).Run();
    return;
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < shared.threads; ++rank) {
    threads.emplace_back([&shared, rank] { RankLoop(shared, rank).Run(); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int HostRanks(const std::string& plugin_path, int threads) {
  const RankIdentity identity = IdentityFromEnvironment();
  const OpenFilesLimit files;
  Watchdog watchdog(ConductorPid(), threads);
  TakeVariables();
  zmq::context_t context;
  std::unique_ptr<Plugin> plugin;
  try {
    plugin = Plugin::Load(plugin_path);
  } catch (const PluginError& wrong) {
    TellFailure(context, identity.rank, threads, wrong.what());
    return EXIT_FAILURE;
  }
  if (const ArithmeticReport arithmetic = CheckArithmetic(); !arithmetic.ok()) {
    TellFailure(context, identity.rank, threads, "after loading the plugin: " + Describe(arithmetic));
    return EXIT_FAILURE;
  }
  Shared shared{*plugin, context, watchdog, files, identity.world_size, threads};
  RunRanks(shared, identity.rank);
  shared.Enter(kInShutdown);
  if (plugin->table().shutdown) plugin->table().shutdown();
  shared.Enter(kAtExit);
  return EXIT_SUCCESS;
}

}  // namespace zerocts
