// Calls between those that train. They change nothing of the training: it goes on with the bits that it would have had.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace zerocts {

enum class ExtraCallKind {
  kRead,    // the parameters are read: those that the last step has made
  kSave,    // a checkpoint is saved into a folder of its own
  kResume,  // as above, and loaded into a fresh engine, which gets the micro-batches of this step again
  kReturn,  // the first checkpoint that this run saved after a step is loaded, and training repeated from there
  kWrongMicroBatch,     // the one behind the next micro-batch is given, or one too many, which is refused
  kRepeatedMicroBatch,  // the last micro-batch is given again, which is refused
  kEarlyStep,           // a step is asked for before its last micro-batch, which is refused
};
std::string ToString(ExtraCallKind kind);  // "read", "save", "resume", "return", "wrong micro-batch", ..
ExtraCallKind ExtraCallKindFromString(const std::string& name);

struct ExtraCall {
  int64_t step = 0;
  int micro_batches = 0;  // of this step, that were given before the call: 0 to K
  ExtraCallKind kind = ExtraCallKind::kRead;

  std::pair<int64_t, int> place() const { return {step, micro_batches}; }
  bool loads() const { return kind == ExtraCallKind::kResume || kind == ExtraCallKind::kReturn; }
  bool saves() const { return kind == ExtraCallKind::kSave || kind == ExtraCallKind::kResume; }
  bool gives_micro_batch() const {
    return kind == ExtraCallKind::kWrongMicroBatch || kind == ExtraCallKind::kRepeatedMicroBatch;
  }
  bool is_mistake() const { return gives_micro_batch() || kind == ExtraCallKind::kEarlyStep; }
  bool in_window() const { return micro_batches > 0; }
  friend bool operator==(const ExtraCall&, const ExtraCall&) = default;
};

/// "save in step 3 after 2 of its micro-batches".
std::string ToString(const ExtraCall& call);

/// The number under which a call that gives a micro-batch gives it.
int WrongNumber(const ExtraCall& call, int micro_batches_of_step);

}  // namespace zerocts
