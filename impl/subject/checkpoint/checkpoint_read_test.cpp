// `zerocts plan read` on what the built plugin saves: sound as it is, and what is damaged is found.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "impl/subject/for_test/checkpoint_ranks.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int exit_code = -1;
  std::string text;
};

Ended Read(const std::string& folder) {
  FILE* program = popen(("'" ZEROCTS_PROGRAM "' plan read '" + folder + "' 2>&1").c_str(), "r");
  Ended ended;
  char piece[4096];
  while (const size_t count = std::fread(piece, 1, sizeof piece, program)) ended.text.append(piece, count);
  const int status = pclose(program);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

/// Expects a fault or a sentence with this phrase.
void ExpectFound(const std::string& folder, int exit_code, const std::string& phrase) {
  const Ended ended = Read(folder);
  EXPECT_EQ(ended.exit_code, exit_code) << ended.text;
  EXPECT_NE(ended.text.find(phrase), std::string::npos) << ended.text;
}

std::string FileOf(const std::string& folder, int rank) {
  return SaveIn(folder) + "/rank-" + std::to_string(rank) + ".safetensors";
}

TEST(CheckpointReadAsAPlan, IsSoundInEveryArrangement) {
  for (const EngineSetup& saver : {EngineSetup{.world_size = 1, .stage = 0}, EngineSetup{.world_size = 3, .stage = 0},
                                   EngineSetup{.world_size = 3, .stage = 1, .bucket_cap_bytes = 12},
                                   EngineSetup{.world_size = 2, .stage = 2, .plan = "per-parameter"},
                                   EngineSetup{.world_size = 5, .stage = 3, .plan = "round-robin"},
                                   EngineSetup{.world_size = 4, .stage = 3, .replicas = 2, .plan = "padded"}}) {
    const TestFolder folder;
    Train(saver, folder.path());
    ExpectFound(folder.path(), 0, "sound: ");
  }
}

/// Saves an MLP whose layers and vocabulary tensor ranks split, before the first step. Returns what each rank was told.
std::vector<std::string> SaveOfSplitLayers(const EngineSetup& setup, uint32_t tensor, const std::string& folder) {
  const MlpSpec mlp{
      .vocab = 7, .context = 2, .embedding = 3, .hidden = {5}, .slice_order = {6}, .vocab_parallel = true};
  const char* const model =
      R"({"mlp": {"vocab": 7, "context": 2, "embedding": 3, "hidden": [5], "slices": 6, "vocab_parallel": true}})";
  const std::vector<ParameterSpec> specs = ModelParameters(mlp);
  std::vector<int64_t> numel;
  for (const ParameterSpec& spec : specs) numel.push_back(spec.numel());
  TestStore store;
  std::vector<std::string> told(setup.world_size);
  std::vector<std::jthread> ranks;
  for (uint32_t r = 0; r < setup.world_size; ++r) {
    ranks.emplace_back([&, r] {
      SubjectHostForTest host(store);
      OpenForTest open(host.table(), r, setup.world_size, numel);
      for (size_t p = 0; p < specs.size(); ++p) {
        open.parameters[p].name = specs[p].name.c_str();
        open.parameters[p].ndim = static_cast<uint32_t>(specs[p].shape.size());
        open.parameters[p].shape = specs[p].shape.data();
      }
      open.args.stage = setup.stage;
      open.args.model = model;
      open.args.tensor = tensor;
      open.args.reduction_order = "rank";
      const auto call = [&](zerocts_status* status) {
        if (status) told[r] = Native().status_message(status);
        Native().status_free(status);
        return !status;
      };
      if (!call(Native().open(&open.args))) return;
      zerocts_checkpoint_args save{sizeof save, open.args.engine, folder.c_str()};
      call(Native().save(&save));
      Native().close(open.args.engine);
    });
  }
  ranks.clear();
  return told;
}

TEST(CheckpointReadAsAPlan, OfSplitLayersHasEachElementOnce) {
  for (const auto& [setup, tensor] : {std::pair(EngineSetup{.world_size = 2, .stage = 0}, 2u),
                                      {EngineSetup{.world_size = 4, .stage = 0}, 2u},
                                      {EngineSetup{.world_size = 6, .stage = 2}, 3u}}) {
    const TestFolder folder;
    ASSERT_EQ(SaveOfSplitLayers(setup, tensor, folder.path()), NoErrors(setup));
    ExpectFound(folder.path(), 0, "sound: ");
    ExpectFound(folder.path(), 0, "tensor ranks: taken as ranks of the sharding group");
  }
}

TEST(CheckpointReadAsAPlan, FindsWhatIsDamaged) {
  const EngineSetup saver{.world_size = 3, .stage = 3};
  const TestFolder cut, dropped, swapped, foreign, other, index;
  for (const TestFolder* folder : {&cut, &dropped, &swapped, &foreign, &other, &index}) Train(saver, folder->path());
  fs::resize_file(FileOf(cut.path(), 2), fs::file_size(FileOf(cut.path(), 2)) / 2);
  ExpectFound(cut.path(), 1, "file rank-2.safetensors has ");
  fs::remove(FileOf(dropped.path(), 2));
  ExpectFound(dropped.path(), 1, "file rank-2.safetensors is missing");
  fs::rename(FileOf(swapped.path(), 0), swapped.path() + "/kept");
  fs::rename(FileOf(swapped.path(), 1), FileOf(swapped.path(), 0));
  fs::rename(swapped.path() + "/kept", FileOf(swapped.path(), 1));
  ExpectFound(swapped.path(), 1, "file rank-0.safetensors has ");
  fs::copy_file(FileOf(other.path(), 1), FileOf(foreign.path(), 1), fs::copy_options::overwrite_existing);
  ExpectFound(foreign.path(), 1, "file rank-1.safetensors has a header with XXH3-128");
  fs::resize_file(SaveIn(index.path()) + "/checkpoint.json", 100);
  ExpectFound(index.path(), 2, "checkpoint.json: expected the hash that latest says");
}

}  // namespace
}  // namespace zerocts::engine
