// Checkpoints that are damaged or mixed: every rank refuses them, and says in a sentence which file is wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "impl/subject/for_test/forged_checkpoint.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

using Change = std::function<void(const std::string& folder, const std::string& save)>;

/// The sentences of ranks that load what a change left of a checkpoint that others had saved.
std::vector<std::string> LoadOfChanged(uint32_t savers, uint32_t loaders, const Change& change) {
  const TestFolder folder;
  Train({.world_size = savers}, folder.path());
  change(folder.path(), SaveIn(folder.path()));
  return RunRanks({.world_size = loaders}, -7.0f, [&](Rank& rank, uint32_t) { rank.Load(folder.path()); });
}

/// Every rank says so.
void ExpectOnEveryRank(const Change& change, const std::string& part) {
  for (const std::string& sentence : LoadOfChanged(2, 3, change)) {
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nexpected " << part;
  }
}

/// The one rank that there is.
void ExpectSentence(const Change& change, const std::string& part) {
  const std::string sentence = LoadOfChanged(1, 1, change)[0];
  EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nexpected " << part;
}

Change Remove(const std::string& name) {
  return [=](const std::string&, const std::string& save) { fs::remove(save + "/" + name); };
}
Change Cut(const std::string& name, uint64_t bytes) {
  return [=](const std::string&, const std::string& save) {
    const std::string path = save + "/" + name;
    fs::resize_file(path, fs::file_size(path) - bytes);
  };
}

TEST(CheckpointDamage, WhatIsNotWholeIsAnErrorOnEveryRank) {
  ExpectOnEveryRank(Remove("rank-1.safetensors"), "rank-1.safetensors: expected a regular file, got none");
  ExpectOnEveryRank(Remove("checkpoint.json"), "checkpoint.json: expected a regular file, got none");
  ExpectOnEveryRank([](const std::string& folder, const std::string&) { fs::remove(folder + "/latest"); },
                    "latest: expected a regular file, got none");
  ExpectOnEveryRank([](const std::string&, const std::string& save) { fs::remove_all(save); },
                    "checkpoint.json: expected a regular file, got none");
  ExpectOnEveryRank(Cut("rank-0.safetensors", 1), "rank-0.safetensors: expected");
  ExpectOnEveryRank(Cut("checkpoint.json", 9), "checkpoint.json: expected an index with XXH3-128");
  ExpectOnEveryRank(
      [](const std::string&, const std::string& save) {
        const std::string path = save + "/rank-0.safetensors";
        WriteFile(path, ReadFile(path) + "more");
      },
      "bytes, got");
}

/// Each is whole, and of another save or rank.
TEST(CheckpointDamage, FilesOfTwoSavesDoNotMix) {
  const TestFolder other;
  Train({.world_size = 2}, other.path());
  for (const std::string name : {"/rank-1.safetensors", "/checkpoint.json", "/rank-0.safetensors"}) {
    const std::string text = ReadFile(SaveIn(other.path()) + name);
    ExpectOnEveryRank([&](const std::string&, const std::string& save) { WriteFile(save + name, text); },
                      "it is damaged or of another save");
  }
  const std::string latest = ReadFile(other / "latest");
  ExpectOnEveryRank([&](const std::string& folder, const std::string&) { WriteFile(folder + "/latest", latest); },
                    "checkpoint.json: expected a regular file, got none");
  ExpectOnEveryRank(
      [](const std::string&, const std::string& save) {
        WriteFile(save + "/rank-1.safetensors", ReadFile(save + "/rank-0.safetensors"));
      },
      "rank-1.safetensors: expected");
}

TEST(CheckpointDamage, WhatIsNoRegularFileIsNotRead) {
  const auto replaced_by = [](const std::string& what, const std::function<void(const std::string& path)>& make) {
    for (const std::string name : {"/../latest", "/checkpoint.json", "/rank-0.safetensors"}) {
      ExpectSentence(
          [&](const std::string&, const std::string& save) {
            fs::rename(save + name, save + name + ".whole");
            make(save + name);
          },
          "expected a regular file, got " + what);
    }
  };
  replaced_by("a fifo", [](const std::string& path) { mkfifo(path.c_str(), 0600); });
  replaced_by("a folder", [](const std::string& path) { fs::create_directory(path); });
  replaced_by("a symbolic link", [](const std::string& path) { fs::create_symlink(path + ".whole", path); });
  replaced_by("a symbolic link", [](const std::string& path) { fs::create_symlink("/dev/zero", path); });
}

TEST(CheckpointDamage, ChecksumsAreOfTheFormatAfterTheFirst) {
  ExpectSentence(
      [](const std::string& folder, const std::string& save) {
        for (const char* name : {"/checkpoint.json", "/rank-0.safetensors"}) fs::rename(save + name, folder + name);
        fs::remove(folder + "/latest");
      },
      "expected a checkpoint of the format zerocts.checkpoint/2, got one of before, without checksums");
}

/// Loads of a small checkpoint, one after the other; an engine that refused before it took anything is used again.
class SmallCheckpoint {
 public:
  SmallCheckpoint() {
    EXPECT_EQ(RunRanks({}, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder_.path()); }), NoErrors({}));
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) files_.push_back(entry.path());
    }
  }
  const std::vector<std::string>& files() const { return files_; }

  /// "" when it was loaded.
  std::string Load() {
    if (!rank_) rank_ = std::make_unique<Rank>(store_, 0, EngineSetup{}, -7.0f, ChangeNothing);
    try {
      rank_->Load(folder_.path());
      return "";
    } catch (const std::runtime_error& refused) {
      const std::string sentence = refused.what();
      if (sentence.find("this engine stands at") == std::string::npos) return sentence;
      rank_.reset();
      return Load();
    }
  }

 private:
  const TestFolder folder_;
  std::vector<std::string> files_;
  TestStore store_;
  std::unique_ptr<Rank> rank_;
};

/// In place: a file that is truncated first would wait for the disk.
void FlipBit(const std::string& path, size_t bit) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(bit / 8));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(bit / 8));
  file.put(static_cast<char>(byte ^ 1 << bit % 8));
}

TEST(CheckpointDamage, EveryBitMatters) {
  SmallCheckpoint checkpoint;
  EXPECT_EQ(checkpoint.files().size(), 3u);
  for (const std::string& path : checkpoint.files()) {
    for (size_t bit = 0; bit < 8 * fs::file_size(path); ++bit) {
      FlipBit(path, bit);
      const std::string sentence = checkpoint.Load();
      ASSERT_NE(sentence.find(": expected "), std::string::npos) << path << ", bit " << bit << ": " << sentence;
      ASSERT_NE(sentence.find("; load a checkpoint that is whole"), std::string::npos) << sentence;
      FlipBit(path, bit);
    }
  }
  EXPECT_EQ(checkpoint.Load(), "");
}

TEST(CheckpointDamage, EveryLengthMatters) {
  SmallCheckpoint checkpoint;
  for (const std::string& path : checkpoint.files()) {
    const std::string whole = ReadFile(path);
    for (size_t bytes = whole.size() + 9; bytes-- > 0;) {
      if (bytes == whole.size()) continue;
      fs::resize_file(path, bytes);
      ASSERT_NE(checkpoint.Load().find(": expected "), std::string::npos) << path << ", " << bytes << " bytes";
    }
    WriteFile(path, whole);
  }
  EXPECT_EQ(checkpoint.Load(), "");
}

}  // namespace
}  // namespace zerocts::engine
