// One rank's part of a case: drives the subject through the C ABI exactly as the case says, and writes down what it
// showed.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/host/rank/memory_meter.hpp"
#include "conformance/host/rank/plugin.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/wire/protocol.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

/// Tells the conductor of the steps of a case that reports them.
class StepReporter {
 public:
  virtual ~StepReporter() = default;
  /// Waits for the answer: does the case go on? `run` and `request` are filled in.
  virtual bool GoesOnAfter(SteppedMessage step) = 0;
};

/// What stays the same over all cases of a rank.
struct RankSetting {
  const Plugin& plugin;
  const Capabilities& can;  // with the options
  int rank = 0, world_size = 1, ranks_in_process = 1;
  std::vector<std::pair<std::string, std::string>> options;
  StoreClient& store;
  RankPage& page;
  MemoryMeter& memory;
  StepReporter* steps = nullptr;           // nobody asks for them: every case goes on
  uint32_t abi_minor = ZEROCTS_ABI_MINOR;  // a test sets a later one
};

using CaseAnswer = std::variant<ObservedMessage, RefusedMessage, BreachMessage, UnsupportedMessage>;

/// `checkpoint_folder`: where a checkpoint of the case goes. Throws std::runtime_error for what is not the subject's
/// doing, e.g. a text file that is not there.
CaseAnswer RunCase(const RankSetting& setting, const Case& c, uint64_t run, uint32_t deadline_ms,
                   const std::string& checkpoint_folder);

}  // namespace zerocts
