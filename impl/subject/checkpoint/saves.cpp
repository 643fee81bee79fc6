#include "impl/subject/checkpoint/saves.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "impl/subject/checkpoint/damaged.hpp"
#include "impl/subject/checkpoint/new_file.hpp"
#include "impl/subject/checkpoint/regular_file.hpp"
#include "reference/experiment/hash.hpp"

namespace zerocts::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSavePrefix = "save-";
constexpr uint64_t kLargestLatest = 4096;

std::string LatestIn(const std::string& folder) { return folder + "/latest"; }
std::string HashOfText(const std::string& text) { return HashOfBytes(text.data(), text.size()); }

std::string TextOf(const LatestSave& latest) {
  const std::string lines =
      fmt::format("{}\n{}  {}/checkpoint.json\n", kCheckpointFormat, latest.index_hash, NameOfSave(latest.id));
  return lines + HashOfText(lines) + "  latest\n";
}

/// Nothing when `name` is none of a save.
std::optional<uint64_t> IdFromName(std::string_view name) {
  if (!name.starts_with(kSavePrefix)) return std::nullopt;
  uint64_t id = 0;
  std::from_chars(name.data() + kSavePrefix.size(), name.data() + name.size(), id, 16);
  return NameOfSave(id) == name ? std::optional(id) : std::nullopt;
}

/// Reads what TextOf writes, in which everything has its place; anything else gives a value whose text is another one.
LatestSave LatestFrom(const std::string& text) {
  const size_t hash = std::string_view(kCheckpointFormat).size() + 1, name = hash + 32 + 2;
  const size_t end = name + NameOfSave(0).size();
  if (text.size() < end) return {};
  return {IdFromName(text.substr(name, end - name)).value_or(0), text.substr(hash, 32)};
}

}  // namespace

uint64_t NewSaveId() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

std::string NameOfSave(uint64_t id) { return fmt::format("{}{:016x}", kSavePrefix, id); }
std::string FolderOfSave(const std::string& folder, uint64_t id) { return folder + "/" + NameOfSave(id); }
std::string IndexOfSave(const std::string& folder, uint64_t id) {
  return FolderOfSave(folder, id) + "/checkpoint.json";
}

LatestSave ReadLatest(const std::string& folder) {
  const std::string path = LatestIn(folder);
  std::error_code ignored;
  if (!fs::exists(path, ignored) && fs::exists(folder + "/checkpoint.json", ignored)) {
    throw std::runtime_error(
        fmt::format("{}: expected a checkpoint of the format {}, got one of before, without checksums; load it with "
                    "the version of zerocts that saved it",
                    folder, kCheckpointFormat));
  }
  const std::string text = TextOfFile(path, kLargestLatest);
  const LatestSave latest = LatestFrom(text);
  if (TextOf(latest) != text) {
    ThrowDamaged(path, fmt::format("expected {} with the hash of an index and one of its own, got {} bytes that differ",
                                   kCheckpointFormat, text.size()));
  }
  return latest;
}

UnpublishedSave::UnpublishedSave(std::string folder, uint64_t id) : folder_(std::move(folder)), id_(id) {
  MakeFolder(FolderOfSave(folder_, id_));
}

UnpublishedSave::~UnpublishedSave() {
  std::error_code ignored;
  if (!may_be_published_) fs::remove_all(FolderOfSave(folder_, id_), ignored);
}

void UnpublishedSave::Publish(const std::string& index_hash) {
  const std::string made = FolderOfSave(folder_, id_) + "/latest";
  WriteNewFile(made, TextOf({id_, index_hash}));
  SyncFolder(FolderOfSave(folder_, id_));
  SyncFolder(folder_);
  may_be_published_ = true;
  MoveFile(made, LatestIn(folder_));
  SyncFolder(folder_);
}

void RemoveSavesBut(const std::string& folder, uint64_t id) {
  std::error_code ignored;
  std::vector<fs::path> others;
  for (fs::directory_iterator entry(folder, ignored); entry != fs::directory_iterator(); entry.increment(ignored)) {
    const std::optional<uint64_t> other = IdFromName(entry->path().filename().string());
    if (other && *other != id) others.push_back(entry->path());
  }
  for (const fs::path& other : others) fs::remove_all(other, ignored);
}

}  // namespace zerocts::engine
