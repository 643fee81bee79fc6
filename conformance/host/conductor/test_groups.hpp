// Groups of misbehaving ranks, and what they leave behind.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

inline const std::string kPlugins = ZEROCTS_TESTDATA_PLUGINS;
inline constexpr int kWorldSize = 3;

inline Case TinyCase(int world_size = kWorldSize) {
  Case c;
  c.clause = "C-ZERO-001";
  c.experiment.parameters = {{"w", {3, 5}, 0}, {"b", {3}, 0}, {"none", {0}, 0}};
  c.experiment.world_size = world_size;
  c.experiment.steps = 2;
  c.read_twice = true;
  c.read_order = ReadOrder::kShuffled;
  return c;
}

inline SubjectSpec Faulty(const std::string& fault, const std::string& plugin = "faulty") {
  SubjectSpec subject = ResolveSubject("plugin:" + kPlugins + "/" + plugin + ".so");
  if (!fault.empty()) subject.options = {{"fault", fault}};
  return subject;
}

/// Rank 1 does once what zerocts_subject.h forbids.
inline SubjectSpec Oversteps(const std::string& deed) {
  SubjectSpec subject = ResolveSubject("plugin:" + kPlugins + "/oversteps.so");
  subject.options = {{"deed", deed}, {"rank", "1"}};
  return subject;
}

inline SubjectSpec FakeRank(const std::string& behaviour) {
  return ResolveSubject("exec:exec " ZEROCTS_FAKE_RANK " " + behaviour);
}

/// Processes that belong to the session: its path stands in their environment.
inline std::vector<pid_t> ProcessesOf(const std::string& session) {
  std::vector<pid_t> pids;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    std::string entry_of_environment;  // getline, as an iterator of the buffer throws when the process goes meanwhile
    bool is_of_session = false;
    while (std::getline(file, entry_of_environment, '\0'))
      is_of_session = is_of_session || entry_of_environment.find(session) != std::string::npos;
    if (is_of_session) pids.push_back(pid);
  }
  return pids;
}

/// Prints the path of its session and runs a case that never ends; for a process of its own.
int RunHangingCase();

}  // namespace zerocts
