// Launcher "threads": one worker hosts all ranks as threads.
#include "conformance/host/conductor/launcher.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {

namespace {

class Threads : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    if (request.subject.plugin.empty()) {
      throw UsageError("launcher threads: expected a plugin, got \"" + request.subject.text +
                       "\"; a command needs --launcher local or mpirun");
    }
    return {{ShimCommand(request.subject, request.world_size),
             {{"ZEROCTS_RANK", "0"}, {"ZEROCTS_WORLD_SIZE", std::to_string(request.world_size)}},
             request.folder + "/launcher.log"}};
  }
  int Shims(int) const override { return 1; }
};

}  // namespace

const Launcher& ThreadsLauncher() {
  static const Threads launcher;
  return launcher;
}

}  // namespace zerocts
