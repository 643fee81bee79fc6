// Ranks of the built plugin that train three small parameters and a buffer, save and load.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "impl/subject/for_test/subject_host.hpp"

namespace zerocts::engine {

/// Empty at first, gone at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// How an engine of three parameters, 7, 1 and 5 elements, is opened. A buffer of 3 follows them.
struct EngineSetup {
  uint32_t world_size = 1, stage = 1, replicas = 1;
  const char* plan = "";
  uint64_t bucket_cap_bytes = 0;
  uint32_t offload = ZEROCTS_OFFLOAD_NONE;
  const char* device = "host";
};

inline const std::vector<int64_t> kNumel = {7, 1, 5, 3};
inline constexpr uint32_t kBuffer = 3;

using ChangeOpen = std::function<void(OpenForTest&)>;
inline void ChangeNothing(OpenForTest&) {}

/// One rank of one engine. Every call throws std::runtime_error with the sentence of its status.
class Rank {
 public:
  Rank(TestStore& store, uint32_t rank, const EngineSetup& setup, float value, const ChangeOpen& change);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  /// Gradients that are the same sum on every number of ranks: the first rank gives all of it, times W for the mean.
  void Step(uint64_t step);
  void Save(const std::string& folder) { Call(Native().save, folder); }
  void Load(const std::string& folder) { Call(Native().load, folder); }

  std::vector<float> Read(uint32_t parameter);
  /// Returns the elements that this rank owns, the others as 0.
  std::vector<float> ReadState(const char* state, uint32_t parameter);

 private:
  void Call(zerocts_status* (*function)(zerocts_checkpoint_args*), const std::string& folder);

  SubjectHostForTest host_;
  OpenForTest open_;  // its host is called until close
  const uint32_t rank_;
  const EngineSetup setup_;
  zerocts_engine* engine_ = nullptr;
};

/// Runs every rank of an engine on a thread. Returns what each threw.
std::vector<std::string> RunRanks(const EngineSetup& setup, float value,
                                  const std::function<void(Rank&, uint32_t)>& body,
                                  const ChangeOpen& change = ChangeNothing);
inline std::vector<std::string> NoErrors(const EngineSetup& setup) {
  return std::vector<std::string>(setup.world_size);
}

/// What the last rank reads of every parameter, and the moments put together from their owners.
struct Shown {
  std::vector<std::vector<float>> parameters, exp_avg, exp_avg_sq;
  friend bool operator==(const Shown&, const Shown&) = default;
};

// Errors are failures of the test.
/// Three steps, a checkpoint after the second; what was shown then and at the end.
std::pair<Shown, Shown> Train(const EngineSetup& setup, const std::string& folder);
/// The folder of the only save in the folder of a checkpoint.
std::string SaveIn(const std::string& folder);
/// What a fresh engine shows that loads.
Shown Loaded(const EngineSetup& setup, const std::string& folder);
/// One that loads and makes the third step; what was shown before and after it.
std::pair<Shown, Shown> GoOn(const EngineSetup& setup, const std::string& folder);

}  // namespace zerocts::engine
