#include <fmt/format.h>

#include "bench/subject/subject_bench.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/process_memory.hpp"
#include "conformance/plans/models.hpp"

namespace zerocts {
namespace {

constexpr int kMostRanks = 64;
constexpr double kShareOfMemory = 0.8;

std::vector<std::string> LauncherNames() {
  std::vector<std::string> names;
  for (const LauncherEntry& entry : kLaunchers) names.emplace_back(entry.name);
  return names;
}

}  // namespace

void AddBenchOptions(CLI::App& command, BenchOptions& options) {
  command
      .add_option(
          "--subject", options.subjects,
          "A name of `zerocts subjects`, plugin:PATH or exec:\"CMD\"; behind it ,key=value for its options; may be "
          "repeated, all take turns")
      ->allow_extra_args(false)
      ->capture_default_str();
  command
      .add_option(
          "--stage", options.stages,
          "With commas between (default: all that a subject declares; compare: 1, or the first that it declares)")
      ->delimiter(',')
      ->check(CLI::Range(0, 3));
  command.add_option("--ranks", options.ranks, "With commas between")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostRanks))
      ->capture_default_str();
  command.add_option("--model", options.model, "Whose parameters are updated: " + ModelChoices())
      ->capture_default_str();
  command.add_flag("--train", options.trains,
                   "Train the model on text, where the subject runs it; else gradients are given");
  command.add_option("--precision", options.precision, "Of parameters")
      ->check(CLI::IsMember({"fp32", "bf16"}))
      ->capture_default_str();
  command.add_option("--plan", options.plan, "How parameters are divided (default: its own)");
  command.add_option("--overlap", options.overlap, "Of communication and computation")
      ->check(CLI::IsMember({"any", "on", "off"}))
      ->capture_default_str();
  command.add_option("--offload", options.offload, "State offloaded to the host")
      ->check(CLI::IsMember({"none", "params", "full"}))
      ->capture_default_str();
  command.add_option("--launcher", options.launcher, "How ranks start")
      ->check(CLI::IsMember(LauncherNames()))
      ->capture_default_str();
  command
      .add_option("--steps", options.steps, "Of each round, after one that is not measured (default: 5, compare 20)")
      ->check(CLI::Range(1, 200));
  command.add_option("--rounds", options.rounds, "Turns of all that is measured (default: 5)")
      ->check(CLI::Range(1, 1000));
  command.add_option("--deadline", options.deadline_s, "Seconds that ranks may take for a round; compare: for a step")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command.add_option("--out", options.out, "File to which records are added, one a line");
}

BenchArrangement ArrangementOf(const BenchOptions& options) {
  return {.plan = options.plan,
          .overlap = OverlapFromString(options.overlap),
          .offload = OffloadFromString(options.offload),
          .precision = PrecisionFromString(options.precision)};
}

HostSettings SettingsOf(const BenchOptions& options, const std::string& session_dir) {
  HostSettings settings;
  settings.case_deadline = std::chrono::seconds(options.deadline_s);
  settings.shutdown_deadline = std::chrono::seconds(30);
  settings.session_dir = session_dir;
  return settings;
}

void ExpectRoom(const BenchArrangement& arrangement, const BenchSize& size, int copies) {
  const std::optional<int64_t> available = AvailableBytes();
  const double needed = static_cast<double>(BytesWithoutSharding(arrangement, size)) * copies;
  if (!available || needed <= kShareOfMemory * static_cast<double>(*available)) return;
  throw UsageError(
      fmt::format("--ranks {} of --model {}: expected at most {:.1f} GB of the memory that is available, got {:.1f} GB "
                  "where nothing is sharded; choose fewer ranks or a smaller model",
                  size.ranks, size.model.name, kShareOfMemory * 1e-9 * static_cast<double>(*available), 1e-9 * needed));
}

}  // namespace zerocts
