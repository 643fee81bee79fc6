#include "conformance/cli/check/plan_file_of_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/aim_options.hpp"
#include "conformance/cli/plan/plan_sound.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/plan_file.hpp"
#include "conformance/session/coverage/floors.hpp"

namespace zerocts {
namespace {

/// Requires a file in our own JSON, which subjects read too.
void RequireOurForm(const std::string& path) {
  try {
    LoadFilePlan(std::string(kFilePrefix) + path);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(
        fmt::format("--plan: {}; other forms are written as this one by zerocts plan make FILE --out", wrong.what()));
  }
}

void RequireOffered(const std::string& option, int word, const FilePlan& file, const SessionSettings& settings) {
  const std::vector<std::string> offered = OfferedWords(option, TermsOf(settings));
  if (Contains(offered, std::to_string(word))) return;
  throw UsageError(fmt::format("--plan {}: expected a plan whose {} subject {} declares ({}), got {}", file.name,
                               option, settings.info.name, fmt::join(offered, ", "), word));
}

void RequireDeclared(const std::string& capability, bool is_declared, const FilePlan& file,
                     const SessionSettings& settings) {
  if (is_declared) return;
  throw UsageError(
      fmt::format("--plan {}: expected a subject that declares \"{}\", as a tensor of the plan is, which {} does not",
                  file.name, capability, settings.info.name));
}

}  // namespace

std::optional<FilePlan> TakePlanFile(AimTexts& texts) {
  const std::string text = texts["plan"];
  if (!IsPlanFile(text)) return std::nullopt;
  texts.erase("plan");
  const std::string given = text.substr(kFilePrefix.size());
  const plan::Plan plan = LoadPlan(given);
  RequireSound(plan, given);
  const std::string path = std::filesystem::absolute(given).lexically_normal();
  RequireOurForm(path);
  return FilePlanOf(std::string(kFilePrefix) + path, plan);
}

std::string RanksThrough(const FilePlan& file, const std::string& ranks) {
  const std::string own = std::to_string(file.world_size);
  if (ranks.empty() || Words(ranks) == std::vector{own}) return own;
  throw UsageError(fmt::format("--ranks: expected {}, as many as --plan {} has, got '{}'", own, file.name, ranks));
}

Aim AimThrough(const FilePlan& file, const SessionSettings& settings) {
  if (!settings.info.capabilities.plan_files)
    throw UsageError(
        fmt::format("--plan {}: expected a subject that declares \"plan_files\", which {} does not; it may have plans "
                    "by name: {}",
                    file.name, settings.info.name, fmt::join(OfferedWords("plan", TermsOf(settings)), ", ")));
  const Capabilities& can = settings.info.capabilities;
  RequireDeclared("frozen", can.frozen || file.frozen.empty(), file, settings);
  RequireDeclared("tied", can.tied || file.tied.empty(), file, settings);
  RequireOffered("stage", file.stage, file, settings);
  RequireOffered("replicas", file.replicas, file, settings);
  return AimThrough(file);
}

}  // namespace zerocts
