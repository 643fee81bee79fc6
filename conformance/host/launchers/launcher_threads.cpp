// Launcher "threads": one worker hosts all ranks as threads.
#include "conformance/host/launchers/launcher.hpp"

namespace zerocts {

namespace {

class Threads : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    const std::string ranks = std::to_string(request.world_size);
    return {{ShimCommand(request.subject, request.world_size),
             {{"ZEROCTS_RANK", "0"}, {"ZEROCTS_WORLD_SIZE", ranks}, {"ZEROCTS_RANK_THREADS", ranks}},
             request.folder + "/launcher.log"}};
  }
  int Shims(int) const override { return 1; }
  int RankProcesses(int) const override { return 1; }
  std::string Mismatch(const SubjectSpec& subject) const override {
    if (!subject.plugin.empty() || !subject.framework.empty()) return "";
    return "expected a plugin or a framework, got " + subject.text + "; choose --launcher local";
  }
};

}  // namespace

const Launcher& ThreadsLauncher() {
  static const Threads launcher;
  return launcher;
}

}  // namespace zerocts
