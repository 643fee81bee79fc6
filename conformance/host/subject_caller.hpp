// Calls of a subject's table: the rank's page says where it stands, our arithmetic is kept, a status becomes a Refusal.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/host/arithmetic_guard.hpp"
#include "conformance/host/plugin.hpp"
#include "conformance/host/rank_page.hpp"

namespace zerocts {

/// The subject returned a status.
struct Refusal {
  std::string call;
  int64_t step;
  int code;
  std::string text;
};

template <typename Args>
Args ArgsFor(zerocts_engine* engine) {
  Args args{};
  args.struct_size = sizeof(args);
  args.engine = engine;
  return args;
}

class SubjectCaller {
 public:
  SubjectCaller(const zerocts_subject& table, RankPage& page) : table_(table), page_(page) {}

  const zerocts_subject& table() const { return table_; }

  /// -1: before the first.
  void StandAt(int64_t step) { step_ = step; }
  int64_t step() const { return step_; }

  /// `call` returns a status of the subject. Throws Refusal when there is one.
  template <typename Function>
  void Call(const char* name, Function call, int micro_batch = -1) {
    page_.Enter(name, step_, micro_batch);
    ArithmeticGuard arithmetic;
    std::optional<Refusal> refusal = RefusalOf(name, call);
    if (const std::string change = arithmetic.Restore(); !change.empty()) Breach(fmt::format("{} changed {}", name, change));
    if (refusal) throw *std::move(refusal);
  }

  /// For the reader of a report; each once.
  void Note(std::string note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
  }
  std::vector<std::string>& notes() { return notes_; }
  /// What the subject did that it may not do, whatever its numbers; each once, with the step of the first time.
  std::vector<std::string>& breaches() { return breaches_; }

 private:
  template <typename Function>
  std::optional<Refusal> RefusalOf(const char* name, Function call) {
    zerocts_status* status = nullptr;
    try {
      status = call();
    } catch (const std::exception& crossed) {
      return Refusal{name, step_, ZEROCTS_INTERNAL, fmt::format("a C++ exception crossed the border: {}", crossed.what())};
    }
    if (!status) return std::nullopt;
    const char* text = table_.status_message(status);
    Refusal refusal{name, step_, table_.status_code(status), text ? text : "no message"};
    table_.status_free(status);
    return refusal;
  }

  void Breach(const std::string& what) {
    const auto is_known = [&](const std::string& breach) { return breach.starts_with(what); };
    if (std::ranges::any_of(breaches_, is_known)) return;
    breaches_.push_back(step_ < 0 ? what + " before the first step" : fmt::format("{} in step {}", what, step_));
  }

  const zerocts_subject& table_;
  RankPage& page_;
  int64_t step_ = -1;
  std::vector<std::string> notes_, breaches_;
};

}  // namespace zerocts
