// What the parts of a rank's case share.
#pragma once
#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/memory/guarded_args.hpp"
#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/arithmetic_state.hpp"
#include "conformance/host/rank/breaches.hpp"
#include "conformance/host/rank/call_profile.hpp"
#include "conformance/host/rank/case_runner.hpp"
#include "conformance/host/rank/host_table.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

/// The subject returned a status.
struct Refusal {
  std::string call;
  int64_t step;
  int code;
  std::string text;
};

/// Calls of a subject's table: the rank's page says where it stands, our arithmetic is kept, a status becomes a
/// Refusal, and what is written past the arguments or past the memory that the host gave a breach.
class SubjectCaller {
 public:
  SubjectCaller(const zerocts_subject& table, RankPage& page, HostMemory& memory)
      : table_(table), page_(page), memory_(memory) {}

  const zerocts_subject& table() const { return table_; }
  /// From here on each call is timed.
  void TimeBy(CallClock& clock) { clock_ = &clock; }

  int64_t step() const { return step_; }  // of the last CallAt or StandAt; -1: before the first
  void StandAt(int64_t step) { step_ = step; }

  /// `call` returns a status of the subject. Throws Refusal when there is one.
  template <typename Function>
  void Call(const char* name, Function call, int micro_batch = -1) {
    call_ = {.call = name, .step = step_, .micro_batch = micro_batch};
    page_.Enter(name, step_, micro_batch);
    ArithmeticGuard arithmetic;
    std::optional<Refusal> refusal = RefusalOf(name, call);
    if (const std::string change = arithmetic.Restore(); !change.empty()) Broke("changed " + change);
    if (!refusal) return;
    missed_others_ |= refusal->code == ZEROCTS_DEADLINE_EXCEEDED;
    throw *std::move(refusal);
  }

  /// `function` is one of a table of the subject, and takes `args`. One that is not there says that it is not offered.
  template <typename Args>
  void Call(const char* name, zerocts_status* (*function)(Args*), GuardedArgs<Args>& args, int micro_batch = -1) {
    if (!function) throw Refusal{name, step_, ZEROCTS_UNIMPLEMENTED, "the subject's table has NULL there"};
    Call(
        name, [&] { return function(args.args()); }, micro_batch);
    if (const std::string overstep = args.Overstep(); !overstep.empty()) {
      Broke(fmt::format("{} the arguments of {} ({} bytes, as their struct_size says)", overstep, name, sizeof(Args)));
    }
  }

  /// Call, from here on at `step`. Looks at the host's memory afterwards.
  template <typename... Arguments>
  void CallAt(int64_t step, const char* name, Arguments&&... arguments) {
    step_ = step;
    try {
      Call(name, std::forward<Arguments>(arguments)...);
    } catch (const Refusal&) {
      LookAtMemory();
      throw;
    }
    LookAtMemory();
  }

  /// Breaches are found in what the subject did since the last look.
  void LookAtMemory() {
    for (const std::string& breach : memory_.TakeBreaches()) Broke(breach);
  }
  /// The subject did `what`, and it is found after the last call.
  void Broke(const std::string& what) { breaches_.Add(what, call_); }
  const Breaches& breaches() const { return breaches_; }
  /// A call gave up waiting for other ranks; so may collective calls after it.
  bool missed_others() const { return missed_others_; }

 private:
  template <typename Function>
  std::optional<Refusal> RefusalOf(const char* name, Function call) {
    zerocts_status* status = nullptr;
    try {
      if (clock_) clock_->Start();
      status = call();
      if (clock_) clock_->Stop();
    } catch (const std::exception& crossed) {
      return Refusal{name, step_, ZEROCTS_INTERNAL,
                     fmt::format("a C++ exception crossed the border: {}", crossed.what())};
    }
    if (!status) return std::nullopt;
    const char* text = table_.status_message(status);
    Refusal refusal{name, step_, table_.status_code(status), text ? text : "no message"};
    table_.status_free(status);
    return refusal;
  }

  const zerocts_subject& table_;
  RankPage& page_;
  HostMemory& memory_;
  int64_t step_ = -1;
  LastPosition call_;  // the last one
  Breaches breaches_;
  bool missed_others_ = false;
  CallClock* clock_ = nullptr;
};

struct RankContext {
  const RankSetting& setting;
  const Case& c;
  const uint32_t deadline_ms;  // of waits for other ranks
  const Experiment& experiment = c.experiment;
  RankPage& page = setting.page;
  HostTable host{setting.rank, setting.store, page, c.poison_memory, setting.ranks_in_process > 1};
  SubjectCaller caller{setting.plugin.table(), page, host.memory()};
  zerocts_engine* engine = nullptr;  // null: none is open
  RankObservation observation{.rank = setting.rank, .ranks_in_process = setting.ranks_in_process};

  /// The model, and not the host for it.
  bool subject_computes() const {
    return experiment.gradients == GradientSource::kModel &&
           Contains(setting.plugin.capabilities().models, KindOf(*experiment.model));
  }

  /// A table of the subject, which declares it. Throws Refusal where it is missing, or `function` in it.
  template <typename Table, typename Function>
  const Table& Extension(int64_t step, const char* declared, const char* id, Function Table::*function) {
    const Table* table = nullptr;
    caller.CallAt(step, "get_extension", [&] {
      table = static_cast<const Table*>(setting.plugin.Extension(id));
      return static_cast<zerocts_status*>(nullptr);
    });
    if (table && table->struct_size >= sizeof(*table) && table->*function) return *table;
    throw Refusal{"get_extension", step, ZEROCTS_UNIMPLEMENTED,
                  fmt::format("\"{}\" is declared, but the extension {} is missing", declared, id)};
  }
};

}  // namespace zerocts
