// Launcher "command": the subject's command starts all ranks itself, as torchrun does; one shim watches over it.
#include "conformance/host/launchers/launcher.hpp"

namespace zerocts {

namespace {

class Command : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    return {{ShimCommandOfAllRanks(request.subject),
             {{"ZEROCTS_RANK", "0"},
              {"ZEROCTS_WORLD_SIZE", std::to_string(request.world_size)},
              {"PET_STANDALONE",
               "1"}},  // torchrun --standalone: groups of several sizes live side by side, each with a port of its own
             request.folder + "/launcher.log"}};
  }
  int Shims(int) const override { return 1; }
  std::string Mismatch(const SubjectSpec& subject) const override {
    if (!subject.command.empty()) return "";
    return "expected a subject exec:COMMAND, whose command starts all ranks, got " + subject.text +
           "; choose --launcher local";
  }
};

}  // namespace

const Launcher& CommandLauncher() {
  static const Command launcher;
  return launcher;
}

}  // namespace zerocts
