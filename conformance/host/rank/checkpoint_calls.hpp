// save and load of a subject's table, and what keeps a rank from reading what another has not written yet.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case/checkpoint.hpp"
#include "conformance/host/memory/const_pages.hpp"
#include "conformance/host/rank/rank_context.hpp"
#include "conformance/host/wire/store.hpp"

namespace zerocts {

class CheckpointCalls {
 public:
  CheckpointCalls(RankContext& context, const std::string& folder)
      : context_(context), root_(folder), folder_(folder) {}

  /// The next save gets a folder of its own. Every rank calls it.
  void BeginAnother() {
    folder_ = FolderOf(++begun_);
    std::filesystem::create_directories(folder_);
  }
  /// So many saves were begun; the next load takes this one of them.
  int begun() const { return begun_; }
  void GoBackTo(int save) { folder_ = FolderOf(save); }
  /// Returns when every rank has saved. All throw Refusal.
  void Save() {
    Call("save", context_.caller.table().save);
    MeetOthers();
  }
  void Load() { Call("load", context_.caller.table().load); }
  /// After Save, by every rank: one of them does it, before any can load.
  void DamageOneFile(const FileDamage& damage) {
    const std::vector<Path> files = context_.setting.rank == 0 ? FilesOf(folder_) : std::vector<Path>();
    if (!files.empty()) DamageFile(files[static_cast<size_t>(damage.file) % files.size()], damage.what);
    MeetOthers();
  }

 private:
  using Path = std::filesystem::path;

  std::string FolderOf(int save) const { return fmt::format("{}/save_{}", root_, save); }

  /// Those that are not empty, by their names.
  static std::vector<Path> FilesOf(const std::string& folder) {
    std::vector<Path> files;
    for (const std::filesystem::directory_entry& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  static void DamageFile(const Path& file, Damage damage) {
    if (damage == Damage::kMissing) {
      std::filesystem::remove(file);
    } else {
      std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    }
  }

  void Call(const char* name, zerocts_status* (*function)(zerocts_checkpoint_args*)) {
    ConstPages pages(context_.page);
    GuardedArgs<zerocts_checkpoint_args> args(context_.engine);
    args->folder = pages.CopyText(folder_, "the name of the folder");
    pages.Seal();
    context_.caller.Call(name, function, args);
  }
  void MeetOthers() {
    const StoreOutcome met = context_.setting.store.Barrier(context_.deadline_ms);
    if (met.code != ZEROCTS_OK)
      throw Refusal{"save", context_.caller.step(), met.code, "not every rank has saved: " + met.text};
  }

  RankContext& context_;
  const std::string root_;
  std::string folder_;
  int begun_ = 0;
};

}  // namespace zerocts
