// Launcher "local": the conductor starts a shim per rank.
#include "conformance/host/launchers/launcher.hpp"

namespace zerocts {

namespace {

class Local : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    std::vector<ProcessCommand> commands;
    for (int rank = 0; rank < request.world_size; ++rank) {
      commands.push_back(
          {ShimCommand(request.subject),
           {{"ZEROCTS_RANK", std::to_string(rank)}, {"ZEROCTS_WORLD_SIZE", std::to_string(request.world_size)}},
           request.folder + "/launcher.log"});
    }
    return commands;
  }
};

}  // namespace

const Launcher& LocalLauncher() {
  static const Local launcher;
  return launcher;
}

}  // namespace zerocts
