// Trains with an installed engine, in every way that it offers, and compares bits. Exit code 1 where they differ.
//   my_training threads | processes | mpi
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "training.hpp"

namespace ze = zerocts::engine;

namespace {

constexpr int kRanks = 3;

void Expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("expected " + what);
}

void ExpectEqual(const Tensors& got, const Tensors& expected, const std::string& what) {
  for (size_t p = 0; p < expected.size(); ++p) {
    const bool equal = got.at(p).size() == expected[p].size() &&
                       std::memcmp(got[p].data(), expected[p].data(), expected[p].size() * sizeof(float)) == 0;
    Expect(equal, "equal bits of parameter " + std::to_string(p) + ": " + what);
  }
}

/// Each rank's gradient is 3 (rank + 1) / 4: their mean is 1.5, and SGD takes half of it in every step.
void KnownValues(const ze::Communicator& ranks, int stage) {
  ze::EngineSettings settings;
  settings.stage = stage;
  settings.optimizer = ze::OptimizerKind::kSgd;
  settings.groups = {{.lr = 0.5f}};
  settings.parameters = {{"a", {5, 7}}, {"b", {1}}};
  ze::Engine engine(ranks, settings, {std::vector<float>(35, 8.0f), {-2.0f}});
  const float gradient = 0.75f * static_cast<float>(ranks.rank() + 1);
  for (int step = 0; step < 4; ++step) {
    engine.Accumulate({std::vector<float>(35, gradient), {gradient}});
    Expect(engine.Step().grad_norm == 9.0f, "norm 9, the root of 36 * 1.5 * 1.5");
  }
  ExpectEqual(engine.GatherParameters(), {std::vector<float>(35, 5.0f), {-5.0f}}, "known values");
}

void Train(const ze::Communicator& ranks) {
  Expect(ranks.world_size() == kRanks, "3 ranks");
  for (int stage = 0; stage <= 3; ++stage) {
    KnownValues(ranks, stage);
    for (const char* plan : {"contiguous", "padded"}) {
      const ze::EngineSettings settings = Settings(stage, plan, ze::Precision::kFp32);
      ExpectEqual(TrainWithEngine(ranks, settings), TrainAlone(settings, kRanks),
                  "3 ranks and 1 rank, stage " + std::to_string(stage) + ", " + plan);
    }
  }
  for (const ze::Precision precision : {ze::Precision::kFp32, ze::Precision::kBf16}) {
    ExpectEqual(TrainWithBuffers(ranks, precision), TrainWithEngine(ranks, Settings(1, "padded", precision)),
                precision == ze::Precision::kFp32 ? "DistributedOptimizer and Engine, fp32"
                                                  : "DistributedOptimizer and Engine, bf16");
  }
}

int Failed(const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

int TrainOnProcess(int rank, const std::string& folder) {
  try {
    Train(ze::Communicator::OfProcesses(rank, kRanks, folder));
    return 0;
  } catch (const std::exception& error) {
    return Failed(error);
  }
}

void TrainOnProcesses() {
  std::string folder = (std::filesystem::temp_directory_path() / "my_training.XXXXXX").string();
  Expect(mkdtemp(folder.data()) != nullptr, "a temporary folder");
  for (int rank = 0; rank < kRanks; ++rank) {
    if (fork() == 0) _exit(TrainOnProcess(rank, folder));
  }
  bool good = true;
  for (int rank = 0; rank < kRanks; ++rank) {
    int status = 0;
    wait(&status);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  std::filesystem::remove_all(folder);
  Expect(good, "that all processes succeed");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc == 2 ? argv[1] : "";
  try {
    if (how == "threads") {
      ze::RunOnThreads(kRanks, Train);
    } else if (how == "processes") {
      TrainOnProcesses();
    } else if (how == "mpi") {
      Train(ze::Communicator::OfMpi());
      ze::ShutDown();
    } else {
      throw std::runtime_error("usage: my_training threads | processes | mpi");
    }
  } catch (const std::exception& error) {
    return Failed(error);
  }
  std::printf("%s: equal bits in every way\n", how.c_str());
  return 0;
}
