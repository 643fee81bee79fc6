#include "impl/subject/checkpoint.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <stdexcept>

#include "impl/subject/checkpoint_index.hpp"
#include "impl/subject/saved_tensors.hpp"
#include "impl/subject/tensor_file.hpp"

namespace zerocts {
namespace {

std::string IndexPath(const std::string& folder) { return folder + "/checkpoint.json"; }
std::string FileOfRank(int rank) { return fmt::format("rank-{}.safetensors", rank); }

/// Ranks that hold what no rank before them holds: in stage 0 the first, else the first replica.
int WritersOf(const zerocts_engine& rank) {
  const EngineSettings& settings = rank.engine->settings();
  return settings.stage == 0 ? 1 : rank.world_size / settings.replicas;
}

/// Runs this rank's part and waits until every rank has: then all have succeeded, or all throw.
void Together(zerocts_engine& rank, const char* what, const std::function<void()>& part) {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  std::vector<uint64_t> failed(static_cast<size_t>(rank.world_size));
  failed[static_cast<size_t>(rank.rank)] = failure != nullptr;
  rank.engine->SumOverRanks(failed, what);
  if (failure) std::rethrow_exception(failure);
  for (size_t other = 0; other < failed.size(); ++other) {
    if (failed[other])
      throw std::runtime_error(fmt::format("rank {} could not {} the checkpoint; it says why", other, what));
  }
}

void WriteTensors(const zerocts_engine& rank, const std::string& path, int64_t steps) {
  const std::vector<HeldTensor> held = HeldTensors(*rank.engine, rank.rank == 0);
  std::vector<FileTensor> tensors;
  for (const HeldTensor& tensor : held)
    tensors.push_back({NameInFile(tensor.place), tensor.precision, tensor.place.numel(), 0});
  TensorFileWriter file(path, tensors, MetadataOf(steps));
  for (const HeldTensor& tensor : held) {
    const std::vector<std::byte> values = tensor.read();
    file.Append(values.data(), std::ssize(values));
  }
  file.Finish();
}

void WritePart(const zerocts_engine& rank, const std::string& folder) {
  const int writers = WritersOf(rank);
  if (rank.rank >= writers) return;
  std::vector<std::string> files;
  for (int writer = 0; writer < writers; ++writer) files.push_back(FileOfRank(writer));
  const CheckpointIndex index = IndexOf(*rank.engine, files);
  WriteTensors(rank, folder + "/" + FileOfRank(rank.rank), index.steps);
  if (rank.rank == 0) WriteIndex(index, IndexPath(folder));
}

/// Local: what ranks read may differ, what they find wrong may too.
void ReadPart(zerocts_engine& rank, const std::string& folder) {
  Engine& engine = *rank.engine;
  const CheckpointIndex index = ReadIndex(IndexPath(folder));
  engine.Resume(ProgressFrom(index, engine.settings()));
  const SavedTensors saved(folder, index);
  saved.RequireWhole(engine.settings());
  for (int p = 0; p < std::ssize(engine.settings().parameters); ++p) saved.ReadInto(engine, p);
}

}  // namespace

void SaveCheckpoint(zerocts_engine& rank, const std::string& folder) {
  Together(rank, "save", [&] { WritePart(rank, folder); });
}

void LoadCheckpoint(zerocts_engine& rank, const std::string& folder) {
  Together(rank, "load", [&] { ReadPart(rank, folder); });
  rank.engine->PublishResumed();
}

}  // namespace zerocts
