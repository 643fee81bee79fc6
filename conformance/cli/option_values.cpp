#include "conformance/cli/option_values.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cli/train/train_experiment.hpp"
#include "conformance/cli/values.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/host/launchers/launcher.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/nearest.hpp"

namespace zerocts {
namespace {

using Strings = std::vector<std::string>;

Strings LauncherNames() {
  Strings names;
  for (const LauncherEntry& entry : kLaunchers) names.emplace_back(entry.name);
  return names;
}

Strings ProfileNames() {
  Strings names;
  for (const Profile& profile : AllProfiles()) names.push_back(profile.name);
  return names;
}

/// Words of options whose values only a subject, a plan or the number of ranks can tell.
const std::map<std::string, Strings> kExamples = {
    {"tensor", {"1", "2", "4"}},
    {"replicas", {"1", "2", "4"}},
    {"plan", {"contiguous", "padded", "per-parameter", "round-robin", "balanced"}},
    {"without", {"stage=0", "stage=3", "overlap=on", "offload=full"}}};

OptionValues WordsOfConstraint(const ConstraintOption& option) {
  if (option.words.empty()) return {{"check"}, "--" + option.name, Takes::kSuchAs, kExamples.at(option.name)};
  return {{"check"}, "--" + option.name, option.several ? Takes::kSomeOf : Takes::kOneOf, option.words};
}

const Strings kModelsByName = {"tiny",      "small",   "gpt2-124m",  "gpt2-350m",
                               "gpt2-774m", "gpt2-xl", "llama-3-8b", "mixtral-8x7b"};

std::vector<OptionValues> AllValues() {
  const Strings precisions = {"fp32", "bf16"}, tiers = {"smoke", "default", "full"};
  std::vector<OptionValues> all = {
      {{"check", "replay", "run"}, "--subject", Takes::kSuchAs, SubjectNames()},
      {{"check", "replay", "run"}, "--device", Takes::kSuchAs, {"host", "sim", "cpu", "cuda"}},
      {{"check", "replay", "run"}, "--launcher", Takes::kSomeOf, LauncherNames()},
      {{"check", "run", "mutants", "plan"}, "--ranks", Takes::kSuchAs, {"1", "2", "3", "4", "8"}},
      {{"run", "train"}, "--seed", Takes::kSuchAs, {"1", "2", "3"}},
      {{"check", "plan"}, "--seed", Takes::kSuchAs, {"1", "2", "3", "random"}},
      {{"mutants"}, "--first-seed", Takes::kSuchAs, {"1", "random"}},
      {{"check"}, "--precision", Takes::kSomeOf, precisions},
      {{"run", "train"}, "--precision", Takes::kOneOf, precisions},
      {{"check", "mutants"}, "--tier", Takes::kOneOf, tiers},
      {{"check"}, "--require", Takes::kSuchAs, ProfileNames()},
      {{"run", "train"}, "--model", Takes::kOneOf, {kModels.begin(), kModels.end()}},
      {{"run", "train"}, "--optimizer", Takes::kOneOf, {"adamw", "adam", "lamb", "sgd"}},
      {{"run"}, "--stage", Takes::kSuchAs, {"0", "1", "2", "3"}},
      {{"run"}, "--order", Takes::kSuchAs, {"tree", "rank"}},
      {{"run"}, "--overlap", Takes::kOneOf, {"any", "off", "on"}},
      {{"run"}, "--offload", Takes::kOneOf, {"none", "params", "full"}},
      {{"run"}, "--tensor", Takes::kSuchAs, kExamples.at("tensor")},
      {{"run"}, "--replicas", Takes::kSuchAs, kExamples.at("replicas")},
      {{"check", "run"}, "--mesh", Takes::kSuchAs, {"replicate=2,shard=2", "shard=2,tensor=2"}},
      {{"run", "plan"}, "--plan", Takes::kSuchAs, kExamples.at("plan")},
      {{"plan"}, "--model", Takes::kSuchAs, kModelsByName},
      {{"check"}, "--shapes", Takes::kSuchAs, kModelsByName},
      {{"plan"}, "--stage", Takes::kSuchAs, {"0", "1", "2", "3"}},
      {{"plan"}, "--replicas", Takes::kSuchAs, kExamples.at("replicas")},
      {{"plan"}, "--optimizer", Takes::kSuchAs, {"adamw", "adam", "lamb", "muon", "sgd", "sgd-momentum"}},
      {{"plan"}, "--precision", Takes::kSuchAs, {"fp32", "mixed"}},
      {{"plan"}, "--form", Takes::kSuchAs, {"json", "csv", "affine"}},
      {{"plan"}, "--state", Takes::kSuchAs, {"parameters", "gradients", "optimizer"}}};
  for (const ConstraintOption& option : ConstraintOptions()) all.push_back(WordsOfConstraint(option));
  return all;
}

const std::vector<OptionValues>& Values() {
  static const std::vector<OptionValues> kValues = AllValues();
  return kValues;
}

/// "" or what is wrong with what was given.
std::string ProblemOf(const std::string& given, const OptionValues& values) {
  for (const std::string& word : values.takes == Takes::kSomeOf ? Words(given) : Strings{given}) {
    if (!Contains(values.words, word))
      return fmt::format("expected {}, got '{}'{}", Choice(values.words), word, DidYouMean(word, values.words));
  }
  return "";
}

/// A name of a subject that nobody knows is one in any command.
std::string ProblemOfSubject(const std::string& given) {
  if (given.find(':') == std::string::npos && !Contains(SubjectNames(), given)) ResolveSubject(given);
  return "";
}

}  // namespace

const OptionValues* FindValues(const std::string& command, const std::string& option) {
  const auto found = std::ranges::find_if(Values(), [&](const OptionValues& values) {
    return values.option == option && Contains(values.commands, command);
  });
  return found == Values().end() ? nullptr : &*found;
}

void RefuseUnknownValues(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) {
      const OptionValues* values = FindValues(command->get_name(), option->get_name());
      if (!values) continue;
      if (values->option == "--subject") option->check(ProblemOfSubject);
      if (values->takes == Takes::kSuchAs) continue;
      option->check([values](const std::string& given) { return ProblemOf(given, *values); });
    }
  }
}

std::map<std::string, std::string> OptionsByValue(const std::string& command) {
  std::map<std::string, std::string> options;
  for (const OptionValues& values : Values()) {
    if (!Contains(values.commands, command)) continue;
    for (const std::string& word : values.words) {
      if (word.find_first_not_of("0123456789") != std::string::npos)
        options.try_emplace(word, values.option + " " + word);
    }
  }
  return options;
}

}  // namespace zerocts
