// Launcher "command": the subject's command starts all ranks itself, as torchrun does; one shim watches over it.
#include "conformance/host/conductor/launcher.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

namespace {

class Command : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    if (request.subject.command.empty()) {
      throw UsageError("launcher command: expected exec:COMMAND, got \"" + request.subject.text +
                       "\"; choose --launcher local");
    }
    return {{ShimCommandOfAllRanks(request.subject),
             {{"ZEROCTS_RANK", "0"},
              {"ZEROCTS_WORLD_SIZE", std::to_string(request.world_size)},
              {"PET_STANDALONE",
               "1"}},  // torchrun --standalone: groups of several sizes live side by side, each with a port of its own
             request.folder + "/launcher.log"}};
  }
  int Shims(int) const override { return 1; }
};

}  // namespace

const Launcher& CommandLauncher() {
  static const Command launcher;
  return launcher;
}

}  // namespace zerocts
