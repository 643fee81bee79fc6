// A subject that uses MPI under mpirun: its endings, and where Open MPI puts its files.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/session_folder.hpp"
#include "conformance/host/conductor/test_groups.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"

namespace zerocts {
namespace {

using namespace std::chrono_literals;

TEST(WithMpi, EndsAndLeavesNothing) {
  for (const char* fault : {"", "crash", "exit", "hang", "stop"}) {
    SCOPED_TRACE(fault);
    const auto folder = std::make_unique<SessionFolder>();
    HostSettings settings;
    settings.session_dir = folder->path();
    settings.case_deadline = 6s;
    auto group = std::make_unique<RankGroup>(Faulty(fault, "faulty_mpi"), LauncherKind::kMpirun, kWorldSize, settings);
    const RunResult result = group->Run(TinyCase());
    const std::string expected = *fault == '\0'  ? "observed"
                                 : *fault == 'c' ? "crash"
                                 : *fault == 'e' ? "early exit"
                                                 : "hang";
    EXPECT_EQ(ToString(result.ending), expected) << result.message;
    EXPECT_TRUE(expected != "crash" || result.message.starts_with("rank 1 was killed by signal 11 (SIGSEGV)"))
        << result.message;
    EXPECT_EQ(group->Stop().message, "");
    group.reset();
    EXPECT_EQ(ProcessesOf(folder->path()), std::vector<pid_t>());
  }
}

}  // namespace
}  // namespace zerocts
