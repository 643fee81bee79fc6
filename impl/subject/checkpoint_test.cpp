// Checkpoints of the built plugin: any number of ranks in any arrangement loads what any other saved, and what is not
// whole is an error on every rank.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "impl/subject/subject_host_for_test.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

void Check(zerocts_status* status) {
  if (!status) return;
  const std::string text = Native().status_message(status);
  Native().status_free(status);
  throw std::runtime_error(text);
}

class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = fs::temp_directory_path() / fmt::format("zerocts-checkpoint-test-{}-{}", getpid(), count++);
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// Where an engine of three parameters, 7, 1 and 5 elements, works. A buffer of 3 follows them.
struct Place {
  uint32_t world_size = 1, stage = 1, replicas = 1;
  const char* plan = "";
  uint64_t bucket_cap_bytes = 0;
  uint32_t offload = ZEROCTS_OFFLOAD_NONE;
  const char* device = "host";
};

const std::vector<int64_t> kNumel = {7, 1, 5, 3};
constexpr uint32_t kBuffer = 3;

/// One rank of one engine.
class Rank {
 public:
  Rank(TestBoard& board, uint32_t rank, const Place& place, float value,
       const std::function<void(OpenForTest&)>& change)
      : host_(board), rank_(rank), place_(place) {
    OpenForTest open(host_.table(), rank, place.world_size, kNumel);
    for (size_t p = 0; p < kNumel.size(); ++p) {
      for (int64_t i = 0; i < kNumel[p]; ++i) open.initial[p][i] = value * static_cast<float>(10 * p + i + 1);
    }
    open.parameters[kBuffer].flags = ZEROCTS_PARAMETER_BUFFER;
    open.args.stage = place.stage;
    open.args.replicas = place.replicas;
    open.args.plan = place.plan;
    open.args.bucket_cap_bytes = place.bucket_cap_bytes;
    open.args.offload = place.offload;
    open.args.optimizer = ZEROCTS_ADAMW;
    open.group.beta1 = 0.5f;
    open.group.beta2 = 0.75f;
    open.group.eps = 0x1p-20f;
    open.AddOption("device", place.device);
    change(open);
    zerocts_status* status = Native().open(&open.args);
    engine_ = open.args.engine;
    Check(status);
  }
  ~Rank() {
    if (engine_) Native().close(engine_);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  /// Gradients that are the same sum on every number of ranks: the first rank gives all of it, times W for the mean.
  void Step(uint64_t step) {
    std::vector<std::vector<float>> gradients;
    std::vector<const void*> pointers;
    for (size_t p = 0; p < kNumel.size(); ++p) {
      gradients.emplace_back(kNumel[p]);
      for (int64_t i = 0; i < kNumel[p] && rank_ == 0; ++i) {
        gradients.back()[i] = static_cast<float>(place_.world_size) * static_cast<float>(p + i + step + 1);
      }
    }
    for (const auto& gradient : gradients) pointers.push_back(gradient.data());
    pointers[kBuffer] = nullptr;
    zerocts_accumulate_args accumulate{sizeof accumulate, engine_, step, 0, static_cast<uint32_t>(kNumel.size()),
                                       pointers.data()};
    Check(Native().accumulate(&accumulate));
    zerocts_step_args args{sizeof args, engine_, step};
    Check(Native().step(&args));
  }

  void Save(const std::string& folder) { Call(Native().save, folder); }
  void Load(const std::string& folder) { Call(Native().load, folder); }

  std::vector<float> Read(uint32_t p) {
    std::vector<float> values(kNumel[p]);
    zerocts_read_parameter_args args{sizeof args, engine_, p, 0, values.data(), values.size() * sizeof(float)};
    Check(Native().read_parameter(&args));
    return values;
  }

  /// Of the elements that this rank owns, the others 0.
  std::vector<float> ReadState(const char* state, uint32_t p) {
    std::vector<float> values(kNumel[p]);
    std::vector<zerocts_interval> intervals(16);
    zerocts_owned_args owned{sizeof owned, engine_, p, 16, intervals.data()};
    Check(Native().owned(&owned));
    for (uint32_t i = 0; i < owned.count; ++i) {
      zerocts_read_state_args args{
          sizeof args, engine_, state, p, 0, intervals[i].begin, intervals[i].end, &values[intervals[i].begin]};
      Check(Native().read_state(&args));
    }
    return values;
  }

 private:
  void Call(zerocts_status* (*function)(zerocts_checkpoint_args*), const std::string& folder) {
    zerocts_checkpoint_args args{sizeof args, engine_, folder.c_str()};
    Check(function(&args));
  }

  SubjectHostForTest host_;
  const uint32_t rank_;
  const Place place_;
  zerocts_engine* engine_ = nullptr;
};

/// Runs every rank of a place on a thread. Returns what each threw.
std::vector<std::string> RunRanks(
    const Place& place, float value, const std::function<void(Rank&, uint32_t)>& body,
    const std::function<void(OpenForTest&)>& change = [](OpenForTest&) {}) {
  TestBoard board;
  std::vector<std::string> errors(place.world_size);
  {
    std::vector<std::jthread> threads;
    for (uint32_t r = 0; r < place.world_size; ++r) {
      threads.emplace_back([&, r] {
        try {
          Rank rank(board, r, place, value, change);
          body(rank, r);
        } catch (const std::exception& error) {
          errors[r] = error.what();
        }
      });
    }
  }
  return errors;
}

const std::vector<std::string> NoErrors(const Place& place) { return std::vector<std::string>(place.world_size); }

/// What the first rank reads of every parameter, and the moments put together from their owners.
struct Shown {
  std::vector<std::vector<float>> parameters, exp_avg, exp_avg_sq;
  friend bool operator==(const Shown&, const Shown&) = default;
};

void Show(Rank& rank, uint32_t r, const Place& place, Shown& shown, std::mutex& mutex) {
  const auto take = [&](std::vector<std::vector<float>>& into, uint32_t p, const std::vector<float>& values) {
    const std::lock_guard lock(mutex);
    into.resize(kNumel.size());
    into[p].resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) into[p][i] = values[i];
    }
  };
  for (uint32_t p = 0; p < kNumel.size(); ++p) {
    const std::vector<float> whole = rank.Read(p);
    if (r == place.world_size - 1) take(shown.parameters, p, whole);
    if (p == kBuffer) continue;
    take(shown.exp_avg, p, rank.ReadState("exp_avg", p));
    take(shown.exp_avg_sq, p, rank.ReadState("exp_avg_sq", p));
  }
}

/// Three steps, a checkpoint after the second; what was shown then and at the end.
std::pair<Shown, Shown> Train(const Place& place, const std::string& folder) {
  std::pair<Shown, Shown> shown;
  std::mutex mutex;
  EXPECT_EQ(RunRanks(place, 1.0f,
                     [&](Rank& rank, uint32_t r) {
                       rank.Step(0);
                       rank.Step(1);
                       rank.Save(folder);
                       Show(rank, r, place, shown.first, mutex);
                       rank.Step(2);
                       Show(rank, r, place, shown.second, mutex);
                     }),
            NoErrors(place));
  return shown;
}

std::pair<Shown, Shown> GoOn(const Place& place, const std::string& folder) {
  std::pair<Shown, Shown> shown;
  std::mutex mutex;
  EXPECT_EQ(RunRanks(place, -7.0f,
                     [&](Rank& rank, uint32_t r) {
                       rank.Load(folder);
                       Show(rank, r, place, shown.first, mutex);
                       rank.Step(2);
                       Show(rank, r, place, shown.second, mutex);
                     }),
            NoErrors(place));
  return shown;
}

const Place kPlaces[] = {
    {.world_size = 1, .stage = 0},
    {.world_size = 3, .stage = 0},
    {.world_size = 3, .stage = 1, .bucket_cap_bytes = 12},
    {.world_size = 2, .stage = 2, .plan = "per-parameter", .device = "sim"},
    {.world_size = 5, .stage = 3, .plan = "round-robin", .bucket_cap_bytes = 8},
    {.world_size = 4, .stage = 3, .replicas = 2, .plan = "padded"},
    {.world_size = 3, .stage = 3, .plan = "block-round-robin", .offload = ZEROCTS_OFFLOAD_FULL, .device = "sim"},
    {.world_size = 11, .stage = 1, .plan = "balanced"}};

TEST(Checkpoint, IsLoadedByAnyNumberOfRanksInAnyArrangement) {
  for (const Place& saver : kPlaces) {
    const Folder folder;
    const auto shown = Train(saver, folder.path());
    EXPECT_NE(shown.first, shown.second);
    for (const Place& loader : kPlaces) {
      EXPECT_EQ(GoOn(loader, folder.path()), shown) << saver.world_size << " ranks in stage " << saver.stage << " to "
                                                    << loader.world_size << " in stage " << loader.stage;
    }
  }
}

TEST(Checkpoint, IsWrittenOnceByTheFirstReplica) {
  const Folder folder;
  Train({.world_size = 4, .stage = 1, .replicas = 2}, folder.path());
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"checkpoint.json", "rank-0.safetensors", "rank-1.safetensors"}));
}

TEST(Checkpoint, FilesAreSafetensors) {
  const Folder folder;
  Train({.world_size = 2}, folder.path());
  std::ifstream file(folder / "rank-1.safetensors", std::ios::binary);
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

/// The sentences of three ranks that load what a change left of a checkpoint that two had saved.
std::vector<std::string> LoadOfChanged(
    const std::function<void(const Folder&)>& change,
    const std::function<void(OpenForTest&)>& other = [](OpenForTest&) {}) {
  const Folder folder;
  Train({.world_size = 2}, folder.path());
  change(folder);
  return RunRanks({.world_size = 3}, -7.0f, [&](Rank& rank, uint32_t) { rank.Load(folder.path()); }, other);
}

void ExpectOnEveryRank(const std::vector<std::string>& sentences, const std::string& part) {
  for (const std::string& sentence : sentences) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
}

TEST(Checkpoint, WhatIsNotWholeIsAnErrorOnEveryRank) {
  ExpectOnEveryRank(LoadOfChanged([](const Folder& f) { fs::remove(f / "rank-1.safetensors"); }),
                    "rank-1.safetensors: expected a file of tensors, got none");
  ExpectOnEveryRank(LoadOfChanged([](const Folder& f) { fs::remove(f / "checkpoint.json"); }),
                    "checkpoint.json: expected a file that can be read, got none");
  const auto cut = [](const char* name, uint64_t bytes) {
    return [=](const Folder& f) { fs::resize_file(f / name, fs::file_size(f / name) - bytes); };
  };
  ExpectOnEveryRank(LoadOfChanged(cut("rank-0.safetensors", 1)), "rank-0.safetensors: expected");
  ExpectOnEveryRank(LoadOfChanged(cut("checkpoint.json", 9)), "checkpoint.json: expected JSON");
  ExpectOnEveryRank(LoadOfChanged([](const Folder& f) { fs::resize_file(f / "rank-0.safetensors", 4); }),
                    "a file of 4 bytes that is cut off");
  ExpectOnEveryRank(
      LoadOfChanged([](const Folder& f) { std::ofstream(f / "rank-0.safetensors", std::ios::app) << "more"; }),
      "bytes of values, got");
  ExpectOnEveryRank(LoadOfChanged([](const Folder& f) {
                      fs::copy_file(f / "rank-0.safetensors", f / "rank-1.safetensors",
                                    fs::copy_options::overwrite_existing);
                    }),
                    "stand in");  // in no file, or in two places
}

TEST(Checkpoint, OfSomethingElseIsAnErrorOnEveryRank) {
  const auto same = [](const Folder&) {};
  ExpectOnEveryRank(LoadOfChanged(same, [](OpenForTest& o) { o.args.optimizer = ZEROCTS_SGD; }),
                    "the checkpoint is of adamw as optimizer: expected sgd");
  ExpectOnEveryRank(LoadOfChanged(same, [](OpenForTest& o) { o.parameters[0].name = "other"; }),
                    "the checkpoint has no parameter other");
  ExpectOnEveryRank(LoadOfChanged(same, [](OpenForTest& o) { o.parameters[kBuffer].dtype = ZEROCTS_BF16; }),
                    "expected them once, in bf16");
  const auto older = [](const Folder& f) {
    const Folder one_step;
    RunRanks({.world_size = 2}, 1.0f, [&](Rank& rank, uint32_t) {
      rank.Step(0);
      rank.Save(one_step.path());
    });
    fs::copy_file(one_step / "rank-1.safetensors", f / "rank-1.safetensors", fs::copy_options::overwrite_existing);
  };
  ExpectOnEveryRank(LoadOfChanged(older), "rank-1.safetensors is of another checkpoint than checkpoint.json");
}

TEST(Checkpoint, ErrorsOfOneRankAreErrorsOfAll) {
  const Folder folder;
  fs::create_directory(folder / "rank-1.safetensors");
  const auto sentences = RunRanks({.world_size = 3}, 1.0f, [&](Rank& rank, uint32_t) { rank.Save(folder.path()); });
  EXPECT_EQ(sentences[0], "rank 1 could not save the checkpoint; it says why");
  EXPECT_NE(sentences[1].find("rank-1.safetensors: cannot be written"), std::string::npos) << sentences[1];
  EXPECT_EQ(sentences[2], sentences[0]);
}

TEST(Checkpoint, IsForAFreshEngineBetweenTwoSteps) {
  const Folder folder;
  const Place place{.world_size = 2};
  Train(place, folder.path());
  ExpectOnEveryRank(RunRanks(place, 1.0f,
                             [&](Rank& rank, uint32_t) {
                               rank.Step(0);
                               rank.Load(folder.path());
                             }),
                    "this engine stands at micro-batch 0 of step 1: expected a fresh one");
  ExpectOnEveryRank(RunRanks(place, 1.0f, [](Rank& rank, uint32_t) { rank.Save(""); }), "folder is NULL or empty");
}

}  // namespace
}  // namespace zerocts
