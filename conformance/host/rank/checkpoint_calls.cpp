#include "conformance/host/rank/checkpoint_calls.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/wire/rendezvous_board.hpp"

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

void CheckpointCalls::Call(const char* name, zerocts_status* (*function)(zerocts_checkpoint_args*),
                           zerocts_engine* engine) {
  ConstPages pages(page_);
  GuardedArgs<zerocts_checkpoint_args> args(engine);
  args->folder = pages.CopyText(folder_, "the name of the folder");
  pages.Seal();
  caller_.Call(name, function, args);
}

void CheckpointCalls::Save(zerocts_engine* engine) {
  Call("save", caller_.table().save, engine);
  MeetOthers();
}

void CheckpointCalls::MeetOthers() {
  const RendezvousOutcome met = rendezvous_.Barrier(deadline_ms_);
  if (met.code != ZEROCTS_OK) throw Refusal{"save", caller_.step(), met.code, "not every rank has saved: " + met.text};
}

void CheckpointCalls::DamageOneFile(const FileDamage& damage, int rank) {
  const std::vector<fs::path> files = rank == 0 ? FilesOf(folder_) : std::vector<fs::path>();
  if (!files.empty()) DamageFile(files[static_cast<size_t>(damage.file) % files.size()], damage.what);
  MeetOthers();
}

void CheckpointCalls::Load(zerocts_engine* engine) { Call("load", caller_.table().load, engine); }

}  // namespace zerocts
