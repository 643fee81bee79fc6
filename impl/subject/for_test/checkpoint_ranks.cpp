#include "impl/subject/for_test/checkpoint_ranks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

void Check(zerocts_status* status) {
  if (!status) return;
  const std::string text = Native().status_message(status);
  Native().status_free(status);
  throw std::runtime_error(text);
}

void Show(Rank& rank, uint32_t r, const EngineSetup& setup, Shown& shown, std::mutex& mutex) {
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
    if (r == setup.world_size - 1) take(shown.parameters, p, whole);
    if (p == kBuffer) continue;
    take(shown.exp_avg, p, rank.ReadState("exp_avg", p));
    take(shown.exp_avg_sq, p, rank.ReadState("exp_avg_sq", p));
  }
}

}  // namespace

TestFolder::TestFolder() {
  static int count = 0;
  path_ = fs::temp_directory_path() / fmt::format("zerocts-checkpoint-test-{}-{}", getpid(), count++);
  fs::create_directory(path_);
}

TestFolder::~TestFolder() { fs::remove_all(path_); }

Rank::Rank(TestStore& store, uint32_t rank, const EngineSetup& setup, float value, const ChangeOpen& change)
    : host_(store), open_(host_.table(), rank, setup.world_size, kNumel), rank_(rank), setup_(setup) {
  for (size_t p = 0; p < kNumel.size(); ++p) {
    for (int64_t i = 0; i < kNumel[p]; ++i) open_.initial[p][i] = value * static_cast<float>(10 * p + i + 1);
  }
  open_.parameters[kBuffer].flags = ZEROCTS_PARAMETER_BUFFER;
  open_.args.stage = setup.stage;
  open_.args.replicas = setup.replicas;
  open_.args.plan = setup.plan;
  open_.args.bucket_cap_bytes = setup.bucket_cap_bytes;
  open_.args.offload = setup.offload;
  open_.args.optimizer = ZEROCTS_ADAMW;
  open_.group.beta1 = 0.5f;
  open_.group.beta2 = 0.75f;
  open_.group.eps = 0x1p-20f;
  open_.AddOption("device", setup.device);
  change(open_);
  zerocts_status* status = Native().open(&open_.args);
  engine_ = open_.args.engine;
  Check(status);
}

Rank::~Rank() {
  if (engine_) Native().close(engine_);
}

void Rank::Step(uint64_t step) {
  std::vector<std::vector<float>> gradients;
  std::vector<const void*> pointers;
  for (size_t p = 0; p < kNumel.size(); ++p) {
    gradients.emplace_back(kNumel[p]);
    for (int64_t i = 0; i < kNumel[p] && rank_ == 0; ++i) {
      gradients.back()[i] = static_cast<float>(setup_.world_size) * static_cast<float>(p + i + step + 1);
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

std::vector<float> Rank::Read(uint32_t p) {
  std::vector<float> values(kNumel[p]);
  zerocts_read_parameter_args args{sizeof args, engine_, p, 0, values.data(), values.size() * sizeof(float)};
  Check(Native().read_parameter(&args));
  return values;
}

std::vector<float> Rank::ReadState(const char* state, uint32_t p) {
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

void Rank::Call(zerocts_status* (*function)(zerocts_checkpoint_args*), const std::string& folder) {
  zerocts_checkpoint_args args{sizeof args, engine_, folder.c_str()};
  Check(function(&args));
}

std::vector<std::string> RunRanks(const EngineSetup& setup, float value,
                                  const std::function<void(Rank&, uint32_t)>& body, const ChangeOpen& change) {
  TestStore store;
  std::vector<std::string> errors(setup.world_size);
  {
    std::vector<std::jthread> threads;
    for (uint32_t r = 0; r < setup.world_size; ++r) {
      threads.emplace_back([&, r] {
        try {
          Rank rank(store, r, setup, value, change);
          body(rank, r);
        } catch (const std::exception& error) {
          errors[r] = error.what();
        }
      });
    }
  }
  return errors;
}

std::pair<Shown, Shown> Train(const EngineSetup& setup, const std::string& folder) {
  std::pair<Shown, Shown> shown;
  std::mutex mutex;
  EXPECT_EQ(RunRanks(setup, 1.0f,
                     [&](Rank& rank, uint32_t r) {
                       rank.Step(0);
                       rank.Step(1);
                       rank.Save(folder);
                       Show(rank, r, setup, shown.first, mutex);
                       rank.Step(2);
                       Show(rank, r, setup, shown.second, mutex);
                     }),
            NoErrors(setup));
  return shown;
}

std::string SaveIn(const std::string& folder) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    EXPECT_EQ(found, "");
    found = entry.path();
  }
  return found;
}

Shown Loaded(const EngineSetup& setup, const std::string& folder) {
  Shown shown;
  std::mutex mutex;
  EXPECT_EQ(RunRanks(setup, -7.0f,
                     [&](Rank& rank, uint32_t r) {
                       rank.Load(folder);
                       Show(rank, r, setup, shown, mutex);
                     }),
            NoErrors(setup));
  return shown;
}

std::pair<Shown, Shown> GoOn(const EngineSetup& setup, const std::string& folder) {
  std::pair<Shown, Shown> shown;
  std::mutex mutex;
  EXPECT_EQ(RunRanks(setup, -7.0f,
                     [&](Rank& rank, uint32_t r) {
                       rank.Load(folder);
                       Show(rank, r, setup, shown.first, mutex);
                       rank.Step(2);
                       Show(rank, r, setup, shown.second, mutex);
                     }),
            NoErrors(setup));
  return shown;
}

}  // namespace zerocts::engine
