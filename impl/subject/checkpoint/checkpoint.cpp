#include "impl/subject/checkpoint/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "impl/layout/unimplemented.hpp"
#include "impl/subject/checkpoint/checkpoint_index.hpp"
#include "impl/subject/checkpoint/new_file.hpp"
#include "impl/subject/checkpoint/saved_tensors.hpp"
#include "impl/subject/checkpoint/saves.hpp"
#include "impl/subject/checkpoint/tensor_file.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

using Told = std::array<uint64_t, 3>;

/// Runs this rank's part and waits until every rank has: then all have succeeded and know what each told the others, or
/// all throw: what that rank's own part threw, or std::runtime_error.
std::vector<Told> Together(zerocts_engine& rank, const char* what, const std::function<Told()>& part) {
  const auto ranks = static_cast<size_t>(rank.world_size), self = static_cast<size_t>(rank.rank);
  std::exception_ptr failure;
  Told own{};
  try {
    own = part();
  } catch (...) {
    failure = std::current_exception();
  }
  // Who failed, then what each told. To every sum one rank alone adds more than 0.
  std::vector<uint64_t> sums(ranks + ranks * own.size());
  sums[self] = failure != nullptr;
  std::ranges::copy(own, sums.begin() + static_cast<ptrdiff_t>(ranks + self * own.size()));
  rank.engine->SumOverRanks(sums, what);
  if (failure) std::rethrow_exception(failure);

  std::vector<Told> told(ranks);
  for (size_t other = 0; other < ranks; ++other) {
    if (sums[other])
      throw std::runtime_error(fmt::format("rank {} could not {} the checkpoint; it says why", other, what));
    std::copy_n(sums.begin() + static_cast<ptrdiff_t>(ranks + other * own.size()), own.size(), told[other].begin());
  }
  return told;
}

/// As long as every hash is.
const std::string kHashToCome(32, '0');

std::vector<FileTensor> WithHashesToCome(std::vector<FileTensor> tensors) {
  for (FileTensor& tensor : tensors) tensor.hash = kHashToCome;
  return tensors;
}

/// Writes a file of tensors that are known beforehand but for their values, one after the other. Throws
/// std::runtime_error with the path. The header comes last: a file that was not finished has none.
class TensorFileWriter {
 public:
  TensorFileWriter(const std::string& path, std::vector<FileTensor> tensors, Metadata metadata)
      : file_(path),
        tensors_(WithHashesToCome(std::move(tensors))),
        metadata_(std::move(metadata)),
        end_(HeaderOf(tensors_, metadata_).size()) {}

  /// Writes the values of the next tensor.
  void Append(std::span<const std::byte> values) {
    tensors_.at(appended_++).hash = HashOfBytes(values.data(), values.size());
    file_.Write(end_, values.data(), values.size());
    end_ += values.size();
  }

  /// The file is on the disk then.
  FileIdentity Finish() {
    const std::string header = HeaderOf(tensors_, metadata_);
    file_.Write(0, header.data(), header.size());
    file_.Finish();
    return {end_, HashOfBytes(header.data(), header.size())};
  }

 private:
  NewFile file_;
  std::vector<FileTensor> tensors_;
  const Metadata metadata_;
  size_t appended_ = 0;
  uint64_t end_;  // of what was written
};

FileIdentity WriteTensors(const zerocts_engine& rank, const std::string& path, const Metadata& metadata) {
  const std::vector<HeldTensor> held = HeldTensors(*rank.engine, rank.rank == 0);
  std::vector<FileTensor> tensors;
  for (const HeldTensor& tensor : held)
    tensors.push_back({NameInFile(tensor.stored), tensor.precision, tensor.stored.numel()});
  TensorFileWriter file(path, tensors, metadata);
  for (const HeldTensor& tensor : held) file.Append(tensor.read());
  return file.Finish();
}

/// Nothing of a rank that holds what another one writes.
FileIdentity WritePart(const zerocts_engine& rank, const CheckpointIndex& index, const std::string& folder) {
  if (rank.rank >= index.savers.writers()) return {};
  const FileIdentity file = WriteTensors(rank, folder + "/" + FileOfRank(rank.rank), MetadataOf(index, rank.rank));
  SyncFolder(folder);
  return file;
}

constexpr size_t kHalfOfHash = 16;  // digits, which are a word

Told ToldOf(const FileIdentity& file) {
  Told told{file.bytes};
  for (size_t half = 0; half < file.header_hash.size() / kHalfOfHash; ++half) {
    const char* digits = file.header_hash.data() + half * kHalfOfHash;
    std::from_chars(digits, digits + kHalfOfHash, told[1 + half], 16);
  }
  return told;
}

FileIdentity FileFrom(const Told& told) { return {told[0], fmt::format("{:016x}{:016x}", told[1], told[2])}; }

/// Local: what ranks read may differ, what they find wrong may too. Returns which save it was.
uint64_t ReadPart(zerocts_engine& rank, const std::string& folder) {
  Engine& engine = *rank.engine;
  const LatestSave latest = ReadLatest(folder);
  const CheckpointIndex index = ReadIndex(folder, latest);
  engine.Resume(ProgressFrom(index, engine.settings()));
  const SavedTensors saved(FolderOfSave(folder, latest.id), index);
  saved.RequireWhole(engine.settings());
  for (int p = 0; p < std::ssize(engine.settings().parameters); ++p) saved.ReadInto(engine, p);
  return latest.id;
}

/// Buffers are read by the first rank alone, and reading is collective over tensor ranks.
void RequireNoBuffersOfSplitLayers(const zerocts_engine& rank) {
  const EngineSettings& settings = rank.engine->settings();
  if (settings.tensor == 1 || std::ranges::none_of(settings.parameters, &EngineParameter::buffer)) return;
  throw Unimplemented(
      fmt::format("tensor is {}: checkpoints with buffers of split layers are not in this build", settings.tensor));
}

}  // namespace

void SaveCheckpoint(zerocts_engine& rank, const std::string& folder) {
  RequireNoBuffersOfSplitLayers(rank);
  const bool first = rank.rank == 0;
  std::optional<UnpublishedSave> begun;  // of the first rank, which does what is done once
  CheckpointIndex index;
  const std::vector<Told> begin = Together(rank, "save", [&] {
    index = IndexOf(*rank.engine, rank.world_size);
    if (first) begun.emplace(folder, NewSaveId());
    return Told{first ? begun->id() : 0};
  });
  index.save = begin[0][0];

  const std::string made = FolderOfSave(folder, index.save);
  const std::vector<Told> files = Together(rank, "save", [&] { return ToldOf(WritePart(rank, index, made)); });
  for (int writer = 0; writer < index.savers.writers(); ++writer) index.files.push_back(FileFrom(files[writer]));

  Together(rank, "save", [&] {
    if (first) begun->Publish(WriteIndex(index, folder));
    return Told{};
  });
  if (first) RemoveSavesBut(folder, index.save);
}

void LoadCheckpoint(zerocts_engine& rank, const std::string& folder) {
  RequireNoBuffersOfSplitLayers(rank);
  const std::vector<Told> saves = Together(rank, "load", [&] { return Told{ReadPart(rank, folder)}; });
  for (const Told& other : saves) {
    if (other == saves[0]) continue;
    throw std::runtime_error(fmt::format("{}: one rank read {}, another {}; load while nobody saves", folder,
                                         NameOfSave(saves[0][0]), NameOfSave(other[0])));
  }
  rank.engine->AllGatherResumed();
}

}  // namespace zerocts::engine
