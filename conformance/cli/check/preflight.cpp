// Asks the machine and the subject what they can carry.
#include "conformance/cli/check/preflight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/launchers/gpus_of_ctest.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

namespace fs = std::filesystem;

constexpr bool kMpiInThisBuild = ZEROCTS_HAVE_MPI;
constexpr int64_t kRankMebibytes = 40;   // a rank process with its shim, before the case's own tensors
constexpr int64_t kThreadMebibytes = 8;  // a rank that is a thread, with its tensors: conformance/results/wide.md

bool Has(const SubjectSpec& subject, const char* key, const char* value) {
  return std::ranges::find(subject.options, std::pair<std::string, std::string>(key, value)) != subject.options.end();
}

/// A case in the folder itself belongs to no clause, one in the folder of an unknown clause neither.
void RequireFoldersOfClauses(const std::string& corpus) {
  const std::vector<std::string> ids = AllClauseIds();
  for (const fs::directory_entry& entry : fs::directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    const bool holds_cases = entry.is_directory() ? name.front() != '.' : entry.path().extension() == ".json";
    if (!holds_cases || (entry.is_directory() && std::ranges::find(ids, name) != ids.end())) continue;
    throw UsageError(
        fmt::format("--corpus {}: expected folders that are named after clauses, got '{}'{}; its cases would not run",
                    corpus, name, DidYouMean(name, ids)));
  }
}

}  // namespace

std::vector<LauncherKind> Launchers(const std::string& text) {
  std::vector<LauncherKind> launchers;
  const auto has = [&](LauncherKind kind) {
    return std::find(launchers.begin(), launchers.end(), kind) != launchers.end();
  };
  for (const std::string& word : Words(text)) {
    const LauncherKind kind = LauncherKindFromString(word);
    if (!has(kind)) launchers.push_back(kind);
  }
  for (const LauncherKind kind : launchers) RequireLauncher(kind);
  return launchers;
}

std::vector<LauncherKind> DefaultLaunchers(const SubjectSpec& subject) {
  if (subject.StartsAllRanks()) return {LauncherKind::kCommand};
  if (!subject.framework.empty() || !kMpiInThisBuild || !LauncherOf(LauncherKind::kMpirun).Missing().empty())
    return {LauncherKind::kLocal};
  return {LauncherKind::kLocal, LauncherKind::kMpirun};
}

bool StartsOneWorldSize(const SubjectSpec& subject, const std::vector<LauncherKind>& launchers) {
  return std::ranges::find(launchers, LauncherKind::kCommand) != launchers.end() && !subject.StartsAllRanks();
}

void RequireStart(const SubjectSpec& subject, const std::vector<LauncherKind>& launchers,
                  const std::vector<int>& named_world_sizes) {
  for (const LauncherKind launcher : launchers) RequireMatch(launcher, subject);
  if (StartsOneWorldSize(subject, launchers) && (named_world_sizes.size() != 1 || launchers.size() != 1)) {
    throw UsageError(
        "--launcher command: expected {world_size} in the command, or --ranks with the one number of ranks that it "
        "starts, got neither");
  }
}

void RequireMemory(const std::vector<int>& world_sizes, const std::vector<LauncherKind>& launchers) {
  const bool only_threads = std::ranges::count(launchers, LauncherKind::kThreads) == std::ssize(launchers);
  const int64_t of_rank = only_threads ? kThreadMebibytes : kRankMebibytes;
  const int64_t largest = *std::max_element(world_sizes.begin(), world_sizes.end());
  const std::optional<int64_t> bytes = AvailableBytes();
  const int64_t available = bytes.value_or(0) >> 20;
  if (!bytes || largest * of_rank <= available) return;
  throw UsageError(
      fmt::format("--ranks: expected at most {} ranks, for which {} MiB of free memory suffice, got {} (about {} MiB); "
                  "choose fewer ranks",
                  available / of_rank, available, largest, largest * of_rank));
}

void UseGpusOfCtest(const SubjectSpec& subject, const std::vector<int>& world_sizes) {
  const std::optional<int> given = SeeOnlyGpusOfCtest();
  const bool framework_on_gpus = !subject.framework.empty() && Has(subject, "device", "cuda");
  const bool one_each = (Has(subject, "gpu", "rank") || framework_on_gpus) && !Has(subject, "nccl_share_gpu", "on");
  const int wanted = one_each ? *std::ranges::max_element(world_sizes) : 1;
  if (!given || *given >= wanted) return;
  throw UsageError(
      fmt::format("--ranks: expected at most as many ranks as CTest gave this test GPUs, {}, got {}; let the test's "
                  "RESOURCE_GROUPS "
                  "ask for {},gpus:1, or choose fewer ranks",
                  *given, wanted, wanted));
}

void RequireReach(const SubjectInfo& subject, const std::vector<int>& world_sizes,
                  const std::vector<LauncherKind>& launchers) {
  const Capabilities& can = subject.capabilities;
  for (int world_size : world_sizes) {
    if (world_size >= can.min_world_size && world_size <= can.max_world_size) continue;
    throw UsageError(
        fmt::format("--ranks: expected world sizes from {} to {}, which subject {} declares, got {}; choose others",
                    can.min_world_size, can.max_world_size, subject.name, world_size));
  }
  for (LauncherKind launcher : launchers) {
    if (launcher != LauncherKind::kThreads || can.ranks_as_threads) continue;
    throw UsageError(
        fmt::format("--launcher threads: expected a subject that declares ranks_as_threads, got {}, which does not; "
                    "choose --launcher local",
                    subject.name));
  }
}

LauncherKind OneLauncher(const std::string& text, const std::string& what_runs) {
  const std::vector<LauncherKind> launchers = Launchers(text);
  if (launchers.size() == 1) return launchers.front();
  throw UsageError(fmt::format("--launcher: expected one launcher for {}, got '{}'", what_runs, text));
}

SubjectInfo RequireGroup(const SubjectSpec& subject, const HostSettings& host, LauncherKind launcher, int ranks) {
  RequireMemory({ranks}, {launcher});
  UseGpusOfCtest(subject, {ranks});
  RequireStart(subject, {launcher}, {ranks});
  const bool starts_all_ranks = launcher == LauncherKind::kCommand;
  SubjectInfo info = starts_all_ranks ? AskSubject(subject, host, launcher, ranks) : AskSubject(subject, host);
  RequireReach(info, {ranks}, {launcher});
  return info;
}

std::string CorpusFolder(const std::string& given) {
  if (given.empty()) return InstalledPath("share/zerocts/corpus");
  if (!fs::is_directory(given)) {
    throw UsageError(fmt::format(
        "--corpus: expected a folder with one folder of cases per clause, got '{}', which is no folder", given));
  }
  RequireFoldersOfClauses(given);
  return given;
}

}  // namespace zerocts
