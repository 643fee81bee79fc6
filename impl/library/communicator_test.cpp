#include <gtest/gtest.h>
#include <unistd.h>
#include <zerocts/engine.hpp>

#include <atomic>
#include <filesystem>

#include "impl/library/for_test/sentences.hpp"

namespace zerocts::library {
namespace {

using namespace std::chrono_literals;
/// Empty, and gone with this object.
struct MeetingFolder {
  MeetingFolder() : path(std::filesystem::temp_directory_path() / ("zerocts-library-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path);
  }
  ~MeetingFolder() { std::filesystem::remove_all(path); }
  const std::filesystem::path path;
};

TEST(LibraryCommunicator, EveryRankRunsOnceOnThreads) {
  std::atomic<int> ranks = 0;
  RunOnThreads(3, [&](const Communicator& communicator) {
    EXPECT_EQ(communicator.world_size(), 3);
    EXPECT_EQ(communicator.transport(), "threads");
    ranks += 1 << 4 * communicator.rank();
    communicator.Barrier();
    EXPECT_EQ(ranks, 0x111);
  });
}

TEST(LibraryCommunicator, ThrowsWhatTheFirstRankThrew) {
  const std::string said = SentenceOf([] {
    RunOnThreads(3,
                 [](const Communicator& communicator) {
                   if (communicator.rank() == 1) throw std::runtime_error("rank 1 has no data");
                   communicator.Barrier();
                 },
                 {.deadline = 200ms});
  });
  EXPECT_EQ(said, "rank 1 has no data");
}

TEST(LibraryCommunicator, NamesTheMissingRank) {
  const std::string said = SentenceOf([] {
    RunOnThreads(3,
                 [](const Communicator& communicator) {
                   if (communicator.rank() != 2) communicator.Barrier();
                 },
                 {.deadline = 200ms});
  });
  ExpectHas(said, "gave up 2");
}

TEST(LibraryCommunicator, RefusesWhatIsUnknown) {
  ExpectHas(SentenceOf([] { Communicator::Alone({.transport = "pigeons"}); }), "threads");
  ExpectHas(SentenceOf([] { Communicator::Alone({.device = "abacus"}); }), "host");
  ExpectHas(SentenceOf([] { RunOnThreads(0, [](const Communicator&) {}); }), "world_size is 0");
  EXPECT_THROW(Communicator::Alone({.transport = "pigeons"}), std::invalid_argument);
}

TEST(LibraryCommunicator, ProcessesMeetInAnEmptyFolder) {
  const MeetingFolder folder;
  const CommunicatorSettings settings{.transport = "shm", .deadline = 200ms};
  EXPECT_EQ(Communicator::OfProcesses(0, 1, folder.path, settings).transport(), "shm");
  ExpectHas(SentenceOf([&] { Communicator::OfProcesses(0, 1, folder.path, settings); }), "no earlier ranks");
  ExpectHas(SentenceOf([&] { Communicator::OfProcesses(0, 1, folder.path / "none", settings); }),
            "expected an empty folder");
  std::filesystem::remove_all(folder.path);
  std::filesystem::create_directory(folder.path);
  ExpectHas(SentenceOf([&] { Communicator::OfProcesses(1, 2, folder.path, settings); }),
            "waited 200 ms for the rank that begins it");
}

}  // namespace
}  // namespace zerocts::library
