#include "conformance/plans/read_checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "conformance/host/system/errors.hpp"
#include "conformance/plans/read/deepspeed/deepspeed_files.hpp"
#include "conformance/plans/read/files.hpp"
#include "conformance/plans/read/printable.hpp"

namespace zerocts::read {
namespace {

constexpr uint64_t kMostBytesOfLatest = 4096;
constexpr std::string_view kOurLatest = "zerocts.checkpoint/";

struct Format {
  const char* name;
  bool (*is)(const std::string& folder, const std::vector<std::string>& names);
  Reading (*read)(const std::string& folder);
};

bool Any(const std::vector<std::string>& names, bool (*is)(const std::string&)) {
  return std::any_of(names.begin(), names.end(), is);
}

bool IsHere(const std::vector<std::string>& names, const char* name) {
  return std::binary_search(names.begin(), names.end(), name);
}

Reading ReadIndexIn(const std::string& folder) { return ReadSafetensors(folder + "/model.safetensors.index.json"); }

const Format kFormats[] = {
    {".metadata of torch DCP", [](const auto&, const auto& names) { return IsHere(names, ".metadata"); }, &ReadDcp},
    {"zero_pp_rank_*_optim_states.pt of DeepSpeed",
     [](const auto&, const auto& names) {
       return Any(names, [](const std::string& name) { return OptimizerFileFrom(name).has_value(); });
     },
     &ReadDeepspeed},
    {"zero/*/fp32.pt of DeepSpeed, universal",
     [](const auto& folder, const auto& names) { return IsHere(names, "zero") && IsFolder(folder + "/zero"); },
     &ReadUniversal},
    {"shard-*.safetensors of torch DCP",
     [](const auto&, const auto& names) {
       return Any(names,
                  [](const std::string& name) { return name.starts_with("shard-") && name.ends_with(".safetensors"); });
     },
     &ReadShardedSafetensors},
    {"_METADATA of orbax",
     [](const auto&, const auto& names) { return IsHere(names, "_METADATA") || IsHere(names, "_CHECKPOINT_METADATA"); },
     &ReadOrbax},
    {"model.safetensors.index.json of Hugging Face",
     [](const auto&, const auto& names) { return IsHere(names, "model.safetensors.index.json"); }, &ReadIndexIn},
};

std::string FormatNames() {
  std::string names = "latest of zerocts";
  for (const Format& format : kFormats) names += fmt::format(", {}", format.name);
  return names;
}

/// DeepSpeed's `latest` names a folder beside it.
std::string FolderOfLatest(const std::string& folder, std::string latest) {
  while (!latest.empty() && (latest.back() == '\n' || latest.back() == ' ')) latest.pop_back();
  RequirePlainName(latest, "latest");
  return folder + "/" + latest;
}

Reading ReadFolder(const std::string& folder, bool may_follow) {
  const std::vector<std::string> names = NamesIn(folder);
  std::vector<const Format*> fitting;
  for (const Format& format : kFormats) {
    if (format.is(folder, names)) fitting.push_back(&format);
  }
  if (fitting.size() > 1)
    throw std::invalid_argument(
        fmt::format("it has both {} and {}: expected a checkpoint of one format", fitting[0]->name, fitting[1]->name));
  if (!fitting.empty()) return fitting.front()->read(folder);
  if (may_follow && IsHere(names, "latest")) {
    const std::string latest = TextOfFile(folder + "/latest", kMostBytesOfLatest);
    return latest.starts_with(kOurLatest) ? ReadZerocts(folder) : ReadFolder(FolderOfLatest(folder, latest), false);
  }
  throw std::invalid_argument(fmt::format("expected a checkpoint with one of: {}", FormatNames()));
}

Reading ReadPath(const std::string& path) {
  if (IsFolder(path)) return ReadFolder(path, true);
  BytesOfFile(path);  // refuses what is no file
  const std::filesystem::path file(path);
  if (path.ends_with(".safetensors") || path.ends_with(".index.json")) return ReadSafetensors(path);
  const bool known = file.filename() == ".metadata" || file.filename() == "_METADATA" || file.filename() == "latest" ||
                     OptimizerFileFrom(file.filename().string());
  if (known) return ReadFolder(file.has_parent_path() ? file.parent_path().string() : ".", true);
  throw std::invalid_argument(
      fmt::format("expected a folder, or a file that is one of: {}, *.safetensors, *.index.json", FormatNames()));
}

}  // namespace

Reading ReadCheckpoint(const std::string& path) {
  const std::string shown = IsPrintable(path) ? path : "?";
  try {
    return ReadPath(path);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(fmt::format("checkpoint {}: {}", shown, wrong.what()));
  }
}

}  // namespace zerocts::read
