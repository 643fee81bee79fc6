#include "conformance/host/rank/checkpoint_calls.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

/// Those that are not empty, by their names.
std::vector<fs::path> FilesOf(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void DamageFile(const fs::path& file, Damage damage) {
  if (damage == Damage::kMissing) {
    fs::remove(file);
  } else {
    fs::resize_file(file, fs::file_size(file) / 2);
  }
}

}  // namespace

void CheckpointCalls::Call(const char* name, zerocts_status* (*function)(zerocts_checkpoint_args*)) {
  ConstPages pages(context_.page);
  GuardedArgs<zerocts_checkpoint_args> args(context_.engine);
  args->folder = pages.CopyText(folder_, "the name of the folder");
  pages.Seal();
  context_.caller.Call(name, function, args);
}

void CheckpointCalls::Save() {
  Call("save", context_.caller.table().save);
  MeetOthers();
}

void CheckpointCalls::MeetOthers() {
  const StoreOutcome met = context_.setting.store.Barrier(context_.deadline_ms);
  if (met.code != ZEROCTS_OK)
    throw Refusal{"save", context_.caller.step(), met.code, "not every rank has saved: " + met.text};
}

void CheckpointCalls::DamageOneFile(const FileDamage& damage) {
  const std::vector<fs::path> files = context_.setting.rank == 0 ? FilesOf(folder_) : std::vector<fs::path>();
  if (!files.empty()) DamageFile(files[static_cast<size_t>(damage.file) % files.size()], damage.what);
  MeetOthers();
}

void CheckpointCalls::Load() { Call("load", context_.caller.table().load); }

}  // namespace zerocts
