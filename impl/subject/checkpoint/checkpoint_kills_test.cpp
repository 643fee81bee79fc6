// A rank that dies at any call to the file system while ranks save leaves the save of before or the new one, and
// nothing in between. Ranks are processes; the test kills one of them before its call number 1, 2, 3, ..
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "impl/subject/for_test/file_calls.h"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// For ranks that are processes: a file for each key.
class FolderStore : public TestStore {
 public:
  void Set(const std::string& key, const std::string& value) override {
    const std::string path = PathOf(key), made = fmt::format("{}.{}", path, getpid());
    std::ofstream(made, std::ios::binary) << value;
    fs::rename(made, path);
  }
  std::optional<std::string> Get(const std::string& key, milliseconds deadline) override {
    const auto end = std::chrono::steady_clock::now() + deadline;
    while (!fs::exists(PathOf(key))) {
      if (std::chrono::steady_clock::now() > end) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    std::ifstream file(PathOf(key), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::string PathOf(std::string key) const {
    for (char& c : key) c = c == '/' ? '_' : c;
    return folder_ / key;
  }
  TestFolder folder_;
};

struct Kill {
  uint32_t rank = 0;
  long call = 0;
  bool others_die = true;  // as under mpirun; else they wait for their deadline
  milliseconds deadline{20000};
};

enum Exit { kSaved = 0, kNotSaved = 1 };

/// In a process of its own: goes on from the old save, or begins where there is none, and saves.
[[noreturn]] void RunRank(TestStore& store, uint32_t r, const EngineSetup& setup, const std::string& folder,
                          const Kill& kill) {
  int exit = kNotSaved;
  try {
    const bool first = fs::is_empty(folder);
    Rank rank(store, r, setup, first ? 1.0f : -7.0f, [&](OpenForTest& open) {
      open.host.ranks_share_process = 0;
      open.args.deadline_ms = static_cast<uint32_t>(kill.deadline.count());
    });
    if (first) {
      rank.Step(0);
      rank.Step(1);
    } else {
      rank.Load(folder);
      rank.Step(2);
    }
    watch_file_calls(folder.c_str(), r == kill.rank ? kill.call : 0);
    rank.Save(folder);
    exit = kSaved;
  } catch (const std::exception&) {
  }
  _exit(exit);
}

/// How the rank to be killed ended: waitpid's status.
int SaveAndKill(const EngineSetup& setup, const std::string& folder, const Kill& kill) {
  FolderStore store;
  std::vector<pid_t> ranks;
  for (uint32_t r = 0; r < setup.world_size; ++r) {
    const pid_t pid = fork();
    if (pid == 0) RunRank(store, r, setup, folder, kill);
    ranks.push_back(pid);
  }
  int victim = 0;
  waitpid(ranks[kill.rank], &victim, 0);
  for (uint32_t r = 0; r < setup.world_size; ++r) {
    if (r == kill.rank) continue;
    if (kill.others_die && WIFSIGNALED(victim)) ::kill(ranks[r], SIGKILL);
    waitpid(ranks[r], nullptr, 0);
  }
  return victim;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  for (std::string& name : names) name.resize(5);  // what follows differs
  std::ranges::sort(names);
  return names;
}

/// What a fresh group loads, and then that the next save leaves nothing else in the folder.
Shown LoadedAndSavedAgain(const EngineSetup& setup, const std::string& folder) {
  const Shown loaded = Loaded(setup, folder);
  EXPECT_EQ(RunRanks(setup, -7.0f,
                     [&](Rank& rank, uint32_t) {
                       rank.Load(folder);
                       rank.Save(folder);
                     }),
            NoErrors(setup));
  EXPECT_EQ(NamesIn(folder), (std::vector<std::string>{"lates", "save-"}));
  EXPECT_EQ(Loaded(setup, folder), loaded);
  return loaded;
}

class Kills {
 public:
  Kills(uint32_t world_size, bool first_save) : setup_{.world_size = world_size}, first_save_(first_save) {
    const TestFolder elsewhere;
    const auto [saved, stepped] = Train(setup_, first_save ? elsewhere.path() : saved_.path());
    old_shown_ = saved;
    new_shown_ = first_save ? saved : stepped;
  }

  /// Returns false when the rank had saved before it came to this call.
  bool Try(const Kill& kill) {
    const TestFolder folder;
    const int status = SaveInto(folder.path(), kill);
    const bool killed = WIFSIGNALED(status);
    EXPECT_TRUE(killed || (WIFEXITED(status) && WEXITSTATUS(status) == kSaved)) << status;
    const bool is_new = IsNew(folder.path());
    EXPECT_TRUE(killed || is_new);
    (is_new ? new_ : old_) += killed;
    if (testing::Test::HasFailure())
      ADD_FAILURE() << setup_.world_size << " ranks, rank " << kill.rank << " killed before call " << kill.call;
    return killed;
  }

  /// Before every call, or the first, the one `stride` later and so on, until the rank has saved.
  void TryAll(Kill kill, long stride) {
    for (kill.call = 1; Try(kill) && !testing::Test::HasFailure();) kill.call += stride;
  }

  ~Kills() {
    fmt::print("{} ranks: {} kills left the save of before, {} the new one\n", setup_.world_size, old_, new_);
  }
  int old_saves() const { return old_; }
  int new_saves() const { return new_; }

 private:
  /// A machine may be too busy for a deadline: then all begins anew with a longer one.
  int SaveInto(const std::string& folder, Kill kill) const {
    for (;;) {
      fs::copy(saved_.path(), folder, fs::copy_options::recursive);
      const int status = SaveAndKill(setup_, folder, kill);
      if (WIFSIGNALED(status) || WEXITSTATUS(status) == kSaved || kill.deadline >= milliseconds(20000)) return status;
      for (const auto& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
      kill.deadline *= 4;
    }
  }

  /// Is the new save in the folder? Else the old one, or none where there was none.
  bool IsNew(const std::string& folder) const {
    if (first_save_ && !fs::exists(folder + "/latest")) {
      const auto load = [&](Rank& rank, uint32_t) { rank.Load(folder); };
      EXPECT_NE(RunRanks(setup_, -7.0f, load)[0].find("latest: expected a regular file, got none"), std::string::npos);
      return false;
    }
    const Shown loaded = LoadedAndSavedAgain(setup_, folder);
    EXPECT_TRUE(loaded == old_shown_ || loaded == new_shown_);
    return loaded == new_shown_;
  }

  const EngineSetup setup_;
  const bool first_save_;
  const TestFolder saved_;
  Shown old_shown_, new_shown_;
  int old_ = 0, new_ = 0;
};

/// The nightly test.
bool Thoroughly() { return std::getenv("ZEROCTS_ALL_KILLS") != nullptr; }

class CheckpointKills : public testing::TestWithParam<uint32_t> {};

TEST_P(CheckpointKills, LeaveTheOldSaveOrTheNewOne) {
  Kills kills(GetParam(), /*first_save=*/false);
  for (uint32_t rank = 0; rank < GetParam(); ++rank) kills.TryAll({.rank = rank}, 1);
  EXPECT_GT(kills.old_saves(), 20);
  EXPECT_GT(kills.new_saves(), 5);
}

TEST_P(CheckpointKills, LeaveNothingOrTheFirstSave) {
  Kills kills(GetParam(), /*first_save=*/true);
  for (uint32_t rank = 0; rank < GetParam(); ++rank) kills.TryAll({.rank = rank}, Thoroughly() ? 1 : 5);
  EXPECT_GT(kills.old_saves(), 5);
}

/// Ranks that live on wait for the dead one until their deadline, and clear away what they began.
TEST_P(CheckpointKills, LeaveTheOldSaveOrTheNewOneToRanksThatLiveOn) {
  Kills kills(GetParam(), /*first_save=*/false);
  for (uint32_t rank = 0; rank < GetParam(); ++rank) {
    kills.TryAll({.rank = rank, .others_die = false, .deadline = milliseconds(250)}, Thoroughly() ? 1 : 13);
  }
}

/// What a crash of the machine could take back: paths that were written to, or in which something was made, and which
/// were not synced since.
std::set<std::string> Unsynced(std::istringstream calls, const std::string& until) {
  std::set<std::string> unsynced;
  for (std::string call, path; calls >> call >> path && call != until;) {
    if (call == "write") unsynced.insert(path);
    if (call == "create" || call == "mkdir") unsynced.insert(fs::path(path).parent_path());
    if (call == "fsync") unsynced.erase(path);
  }
  return unsynced;
}

TEST(CheckpointCalls, NothingCountsBeforeItIsOnTheDisk) {
  const TestFolder folder;
  watch_file_calls(folder.path().c_str(), 0);
  EXPECT_EQ(RunRanks({.world_size = 3}, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder.path()); }),
            NoErrors({.world_size = 3}));
  const std::string calls = file_calls();
  watch_file_calls("", 0);
  EXPECT_NE(calls.find("rename "), std::string::npos);
  EXPECT_EQ(Unsynced(std::istringstream(calls), "rename"), std::set<std::string>());
  EXPECT_NE(calls.find("fsync " + folder.path() + "\n", calls.find("rename ")), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(OfRanks, CheckpointKills, testing::Values(1, 2, 3));

}  // namespace
}  // namespace zerocts::engine
