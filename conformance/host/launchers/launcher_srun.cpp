// Launcher "srun": Slurm starts a shim per rank, as a step of the allocation, on one of its nodes.
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/programs.hpp"

namespace zerocts {

namespace {

class Srun : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    std::vector<std::string> argv = {"srun",
                                     "--nodes=1",
                                     "--ntasks=" + std::to_string(request.world_size),
                                     "--overlap",     // groups of several sizes live side by side
                                     "--overcommit",  // with more ranks than processors
                                     "--cpu-bind=none",
                                     "--kill-on-bad-exit=1"};
    const std::vector<std::string> shim = ShimCommand(request.subject);
    argv.insert(argv.end(), shim.begin(), shim.end());
    return {{std::move(argv),
             {{"ZEROCTS_RANK", std::nullopt},  // each shim takes what Slurm tells it
              {"ZEROCTS_WORLD_SIZE", std::nullopt},
              {"RANK", std::nullopt},
              {"WORLD_SIZE", std::nullopt}},
             request.folder + "/launcher.log"}};
  }
  std::string Missing() const override {
    if (IsOnPath("srun")) return "";
    return "expected srun on the PATH, got none; call it where Slurm is, or choose --launcher local";
  }
};

}  // namespace

const Launcher& SrunLauncher() {
  static const Srun launcher;
  return launcher;
}

}  // namespace zerocts
