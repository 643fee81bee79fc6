// Calls of a subject's table: the rank's page says where it stands, our arithmetic is kept, a status becomes a Refusal.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/abi/zerocts_subject.h"
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
    zerocts_status* status = nullptr;
    try {
      status = call();
    } catch (const std::exception& crossed) {
      throw Refusal{name, step_, ZEROCTS_INTERNAL, fmt::format("a C++ exception crossed the border: {}", crossed.what())};
    }
    if (arithmetic.Restore()) Note(std::string(name) + " changed MXCSR (flush to zero or rounding); it was restored");
    if (!status) return;
    const char* text = table_.status_message(status);
    Refusal refusal{name, step_, table_.status_code(status), text ? text : "no message"};
    table_.status_free(status);
    throw refusal;
  }

  /// For the reader of a report; each once.
  void Note(std::string note) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
  }
  std::vector<std::string>& notes() { return notes_; }

 private:
  const zerocts_subject& table_;
  RankPage& page_;
  int64_t step_ = -1;
  std::vector<std::string> notes_;
};

}  // namespace zerocts
