// Launcher "mpirun": Open MPI starts a shim per rank, on this host unless its own variables name others. Everything
// that it leaves in folders goes into the group's.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/programs.hpp"

namespace zerocts {

namespace {

constexpr const char* kAgent = "OMPI_MCA_plm_rsh_agent";  // how Open MPI reaches other hosts, where the user says it

class Mpirun : public Launcher {
 public:
  std::vector<ProcessCommand> Commands(const LaunchRequest& request) const override {
    const std::string scratch = request.folder + "/mpi";
    std::filesystem::create_directory(scratch);
    std::vector<std::string> argv = {
        "mpirun", "--oversubscribe", "--bind-to", "none", "-n", std::to_string(request.world_size)};
    if (geteuid() == 0) argv.push_back("--allow-run-as-root");
    for (const auto& [parameter, value] : {std::pair<const char*, std::string>{"orte_tmpdir_base", scratch},
                                           {"btl_vader_backing_directory", scratch},
                                           {"shmem_mmap_backing_file_base_dir", scratch},
                                           {"mpi_yield_when_idle", "1"}}) {
      argv.insert(argv.end(), {"--mca", parameter, value});
    }
    if (!std::getenv(kAgent))
      argv.insert(argv.end(), {"--mca", "plm_rsh_agent", "false"});  // all ranks are here: no ssh is looked for
    const std::vector<std::string> shim = ShimCommand(request.subject);
    argv.insert(argv.end(), shim.begin(), shim.end());
    return {{std::move(argv),
             {{"ZEROCTS_RANK", std::nullopt},  // each shim takes what Open MPI tells it
              {"ZEROCTS_WORLD_SIZE", std::nullopt},
              {"RANK", std::nullopt},
              {"WORLD_SIZE", std::nullopt},
              {"TMPDIR", scratch},
              {"PMIX_SYSTEM_TMPDIR", scratch},
              {"PMIX_SERVER_TMPDIR", scratch}},
             request.folder + "/launcher.log"}};
  }
  std::string Missing() const override {
    if (IsOnPath("mpirun")) return "";
    return "expected mpirun on the PATH, got none; install Open MPI (Debian: openmpi-bin) or choose --launcher local";
  }
};

}  // namespace

const Launcher& MpirunLauncher() {
  static const Mpirun launcher;
  return launcher;
}

}  // namespace zerocts
