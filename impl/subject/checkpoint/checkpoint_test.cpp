// Checkpoints of the built plugin: any number of ranks in any arrangement loads what any other saved, and what is not
// whole is an error on every rank.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "impl/subject/for_test/checkpoint_ranks.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

const EngineSetup kSetups[] = {
    {.world_size = 1, .stage = 0},
    {.world_size = 3, .stage = 0},
    {.world_size = 3, .stage = 1, .bucket_cap_bytes = 12},
    {.world_size = 2, .stage = 2, .plan = "per-parameter", .device = "sim"},
    {.world_size = 5, .stage = 3, .plan = "round-robin", .bucket_cap_bytes = 8},
    {.world_size = 4, .stage = 3, .replicas = 2, .plan = "padded"},
    {.world_size = 3, .stage = 3, .plan = "block-round-robin", .offload = ZEROCTS_OFFLOAD_FULL, .device = "sim"},
    {.world_size = 11, .stage = 1, .plan = "balanced"}};

TEST(Checkpoint, IsLoadedByAnyNumberOfRanksInAnyArrangement) {
  for (const EngineSetup& saver : kSetups) {
    const TestFolder folder;
    const auto shown = Train(saver, folder.path());
    EXPECT_NE(shown.first, shown.second);
    for (const EngineSetup& loader : kSetups) {
      EXPECT_EQ(GoOn(loader, folder.path()), shown) << saver.world_size << " ranks in stage " << saver.stage << " to "
                                                    << loader.world_size << " in stage " << loader.stage;
    }
  }
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST(Checkpoint, IsWrittenOnceByTheFirstReplica) {
  const TestFolder folder;
  Train({.world_size = 4, .stage = 1, .replicas = 2}, folder.path());
  EXPECT_EQ(NamesIn(folder.path()).size(), 2u);  // the save and `latest`
  EXPECT_EQ(NamesIn(SaveIn(folder.path())),
            (std::set<std::string>{"checkpoint.json", "rank-0.safetensors", "rank-1.safetensors"}));
}

TEST(Checkpoint, FilesAreSafetensors) {
  const TestFolder folder;
  Train({.world_size = 2}, folder.path());
  std::ifstream file(SaveIn(folder.path()) + "/rank-1.safetensors", std::ios::binary);
  uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  std::string text(length, ' ');
  file.read(text.data(), static_cast<std::streamsize>(length));
  const auto header = nlohmann::json::parse(text);
  EXPECT_EQ(header.at("__metadata__").at("steps"), "2");
  const auto& tensor = header.at("p2/exp_avg/0:5");
  EXPECT_EQ(tensor.at("dtype"), "F32");
  EXPECT_EQ(tensor.at("shape"), nlohmann::json::array({5}));
  const int64_t begin = tensor.at("data_offsets").at(0), end = tensor.at("data_offsets").at(1);
  EXPECT_EQ(end - begin, 20);
  EXPECT_EQ((8 + length) % 8, 0u);
}

void ExpectOnEveryRank(const std::vector<std::string>& sentences, const std::string& part) {
  for (const std::string& sentence : sentences) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
}

/// The sentences of three ranks that load what two have saved, into engines that are opened otherwise.
std::vector<std::string> LoadedOtherwise(const ChangeOpen& change) {
  const TestFolder folder;
  Train({.world_size = 2}, folder.path());
  return RunRanks(
      {.world_size = 3}, -7.0f, [&](Rank& rank, uint32_t) { rank.Load(folder.path()); }, change);
}

TEST(Checkpoint, OfSomethingElseIsAnErrorOnEveryRank) {
  ExpectOnEveryRank(LoadedOtherwise([](OpenForTest& o) { o.args.optimizer = ZEROCTS_SGD; }),
                    "the checkpoint is of adamw as optimizer: expected sgd");
  ExpectOnEveryRank(LoadedOtherwise([](OpenForTest& o) { o.parameters[0].name = "other"; }),
                    "the checkpoint has no parameter other");
  ExpectOnEveryRank(LoadedOtherwise([](OpenForTest& o) { o.parameters[kBuffer].dtype = ZEROCTS_BF16; }),
                    "expected them once, in bf16");
}

TEST(Checkpoint, TakesThePlaceOfTheOneBefore) {
  const TestFolder folder;
  const EngineSetup setup{.world_size = 2};
  const Shown shown = Train(setup, folder.path()).second;
  const std::string before = SaveIn(folder.path());
  EXPECT_EQ(RunRanks(setup, 1.0f,
                     [&](Rank& rank, uint32_t) {
                       rank.Load(folder.path());
                       rank.Step(2);
                       rank.Save(folder.path());
                     }),
            NoErrors(setup));
  EXPECT_NE(SaveIn(folder.path()), before);
  EXPECT_EQ(NamesIn(folder.path()).size(), 2u);
  EXPECT_EQ(Loaded(setup, folder.path()), shown);
}

TEST(Checkpoint, ThatCannotBeSavedLeavesTheOneBefore) {
  const TestFolder folder;
  const EngineSetup setup{.world_size = 2};
  const Shown shown = Train(setup, folder.path()).first;
  ExpectOnEveryRank(RunRanks(
                        setup, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder.path()); },
                        [](OpenForTest& open) { open.parameters[1].name = open.parameters[0].name; }),
                    "two parameters are called p0");
  ExpectOnEveryRank(RunRanks(
                        setup, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder.path()); },
                        [](OpenForTest& open) { open.parameters[1].name = "\xff"; }),
                    "a name that is not in UTF-8");
  EXPECT_EQ(NamesIn(folder.path()).size(), 2u);
  EXPECT_EQ(Loaded(setup, folder.path()), shown);

  const auto sentences = RunRanks(
      setup, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder.path()); },
      [](OpenForTest& open) { open.group.eps = 0; });
  EXPECT_EQ(sentences[0],
            "groups[0].eps: expected a finite number above 0, got 0; no checkpoint of it is saved, for none could be "
            "loaded");
  EXPECT_EQ(sentences[1], "rank 0 could not save the checkpoint; it says why");
  EXPECT_EQ(NamesIn(folder.path()).size(), 2u);
  EXPECT_EQ(Loaded(setup, folder.path()), shown);
}

TEST(Checkpoint, ErrorsOfOneRankAreErrorsOfAll) {
  const TestFolder folder;
  const auto sentences = RunRanks({.world_size = 3}, 1.0f,
                                  [&](Rank& rank, uint32_t r) { rank.Save(r == 1 ? folder / "none" : folder.path()); });
  EXPECT_EQ(sentences[0], "rank 1 could not save the checkpoint; it says why");
  EXPECT_NE(sentences[1].find("rank-1.safetensors: cannot be written"), std::string::npos) << sentences[1];
  EXPECT_EQ(sentences[2], sentences[0]);
  EXPECT_EQ(NamesIn(folder.path()).size(), 0u);
}

TEST(Checkpoint, IsForAFreshEngineBetweenTwoSteps) {
  const TestFolder folder;
  const EngineSetup setup{.world_size = 2};
  Train(setup, folder.path());
  ExpectOnEveryRank(RunRanks(setup, 1.0f,
                             [&](Rank& rank, uint32_t) {
                               rank.Step(0);
                               rank.Load(folder.path());
                             }),
                    "this engine stands at micro-batch 0 of step 1: expected a fresh one");
  ExpectOnEveryRank(RunRanks(setup, 1.0f, [](Rank& rank, uint32_t) { rank.Save(""); }), "folder is NULL or empty");
}

/// Each of 40 ranks reads 40 files: one at a time.
TEST(Checkpoint, IsLoadedByManyRanksWithFewOpenFiles) {
  constexpr rlim_t kFiles = 128;
  const EngineSetup setup{.world_size = 40, .stage = 1};
  const TestFolder folder;
  const auto [saved, end] = Train(setup, folder.path());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{kFiles, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(Loaded(setup, folder.path()), saved);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace zerocts::engine
