#include "conformance/cli/check/constraints_of_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/judge.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/plans/models.hpp"
#include "conformance/plans/plan_file.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"

namespace zerocts {
namespace {

std::string HelpOf(const ConstraintOption& option) {
  const std::string words = option.words.empty() ? "" : fmt::format(": {}", Choice(option.words));
  return fmt::format("{}{} (default: {})", option.meaning, words,
                     option.takes_away ? "no case is left out" : "all that the subject declares");
}

/// At least one.
std::vector<std::string> WordsOf(const ConstraintOption& option, const std::string& text) {
  return option.several ? Words(text) : std::vector{text};
}

/// "" or the first word that is not among them.
std::string StrangerAmong(const std::vector<std::string>& words, const std::vector<std::string>& known) {
  const auto stranger = std::ranges::find_if(words, [&](const std::string& word) { return !Contains(known, word); });
  return stranger == words.end() ? "" : *stranger;
}

/// `call(option, words)` for each option that was given, in their own order.
template <typename Call>
void ForEachGiven(const ConstraintTexts& texts, Call call) {
  for (const ConstraintOption& option : ConstraintOptions()) {
    const auto given = texts.find(option.name);
    if (given != texts.end() && !given->second.empty()) call(option, WordsOf(option, given->second));
  }
}

/// Has some clause a case under any conditions?
bool AnyCase(const std::vector<Clause>& clauses, const SessionSettings& settings) {
  return std::ranges::any_of(clauses, [&](const Clause& clause) {
    const CaseSpace space = SpaceFor(FindClauseCheck(clause.id).space(), settings.info.capabilities);
    return std::ranges::any_of(ConfigurationsOf(settings), [&](const Configuration& configuration) {
      return Missing(space, ConditionsOf(configuration, settings), settings.info.capabilities).empty();
    });
  });
}

/// Requires a file in our own JSON, which subjects read too.
void RequireOurForm(const std::string& path) {
  try {
    LoadFilePlan(std::string(kFilePrefix) + path);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(
        fmt::format("--plan: {}; other forms are written as this one by zerocts plan make FILE --out", wrong.what()));
  }
}

void RequireAvailable(const std::string& option, int word, const FilePlan& file, const SessionSettings& settings) {
  const std::vector<std::string> available = AvailableWords(option, TermsOf(settings));
  if (Contains(available, std::to_string(word))) return;
  throw UsageError(fmt::format("--plan {}: expected a plan whose {} subject {} declares ({}), got {}", file.name,
                               option, settings.info.name, fmt::join(available, ", "), word));
}

void RequireDeclared(const std::string& capability, bool is_declared, const FilePlan& file,
                     const SessionSettings& settings) {
  if (is_declared) return;
  throw UsageError(
      fmt::format("--plan {}: expected a subject that declares \"{}\", as a tensor of the plan is, which {} does not",
                  file.name, capability, settings.info.name));
}

}  // namespace

void AddConstraintOptions(CLI::App& command, ConstraintTexts& texts) {
  for (const ConstraintOption& option : ConstraintOptions()) {
    command.add_option("--" + option.name, texts[option.name], HelpOf(option));
  }
}

Constraints ConstraintsOf(const ConstraintTexts& texts, const SessionSettings& settings) {
  const RunTerms terms = TermsOf(settings);
  Constraints constraints;
  ForEachGiven(texts, [&](const ConstraintOption& option, const std::vector<std::string>& words) {
    const std::vector<std::string> available = AvailableWords(option.name, terms);
    if (const std::string stranger = StrangerAmong(words, available); !stranger.empty()) {
      throw UsageError(fmt::format("--{}: expected {}, which subject {} declares and {} ranks allow, got '{}'{}",
                                   option.name, Choice(available), settings.info.name,
                                   fmt::join(settings.world_sizes, ", "), stranger, DidYouMean(stranger, available)));
    }
    constraints.push_back(ConstraintOf(option.name, Common(available, words), terms));
  });
  return constraints;
}

void RequireCases(const std::vector<Clause>& clauses, const SessionSettings& settings) {
  SessionSettings without = settings;
  without.constraints.clear();
  if (settings.constraints.empty() || AnyCase(clauses, settings) || !AnyCase(clauses, without)) return;
  throw UsageError(
      fmt::format("{}: expected what a case of the {} chosen clauses can have on {} ranks, got what leaves none; ask "
                  "for less, or for more clauses",
                  TextOf(settings.constraints), clauses.size(), fmt::join(settings.world_sizes, ", ")));
}

std::optional<FilePlan> TakePlanFile(ConstraintTexts& texts) {
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

ModelShapes TakeShapes(const std::string& model, const std::optional<FilePlan>& file) {
  if (file)
    throw UsageError(
        fmt::format("--shapes: expected none beside --plan {}, which has its own; leave one out", file->name));
  try {
    return ShapesOf(model, ModelNamed(model));
  } catch (const UsageError& wrong) {  // which names the option of plan
    const std::string sentence = wrong.what(), other = "--model";
    throw UsageError(sentence.starts_with(other) ? "--shapes" + sentence.substr(other.size()) : sentence);
  }
}

Constraint ConstraintOfShapes(const ModelShapes& shapes, const SessionSettings& settings) {
  for (const int world_size : settings.world_sizes) {
    int64_t elements = 0;
    for (const ParameterSpec& parameter : ScaledFor(world_size, shapes)) elements += parameter.numel();
    if (elements > kMostElementsOfPlanFile)
      throw UsageError(
          fmt::format("--shapes {}: expected at most {} elements, which the reference trains in every "
                      "case, got {} for {} ranks; take fewer ranks or a smaller model",
                      shapes.name, kMostElementsOfPlanFile, elements, world_size));
  }
  return ConstraintOfShapes(shapes);
}

Constraint ConstraintOfFile(const FilePlan& file, const SessionSettings& settings) {
  if (!settings.info.capabilities.plan_files)
    throw UsageError(
        fmt::format("--plan {}: expected a subject that declares \"plan_files\", which {} does not; it may have plans "
                    "by name: {}",
                    file.name, settings.info.name, fmt::join(AvailableWords("plan", TermsOf(settings)), ", ")));
  const Capabilities& can = settings.info.capabilities;
  RequireDeclared("frozen", can.frozen || file.frozen.empty(), file, settings);
  RequireDeclared("tied", can.tied || file.tied.empty(), file, settings);
  RequireAvailable("stage", file.stage, file, settings);
  RequireAvailable("replicas", file.replicas, file, settings);
  return ConstraintOfFile(file);
}

}  // namespace zerocts
