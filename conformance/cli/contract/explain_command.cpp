// zerocts explain CLAUSE|FAMILY|PROFILE|MUTANT: what a clause requires, why it exists and how it is checked; or what a
// mutant does wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "conformance/cases/whole/features.hpp"
#include "conformance/cli/check/selectors.hpp"
#include "conformance/cli/commands.hpp"
#include "conformance/cli/contract/live_clauses.hpp"
#include "conformance/cli/installed.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/contract/profiles.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/report/diagnosis/known_faults.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

void PrintSection(const std::string& heading, const std::string& text) {
  fmt::print("\n{}\n{}", heading, Wrap(text, kColumns, 2));
}

void PrintList(const char* heading, const std::vector<std::string>& items) {
  if (items.empty()) return;
  fmt::print("\n{}\n", heading);
  for (const std::string& item : items) fmt::print("{}", Wrap(item, kColumns, 2));
}

const char* PromiseOf(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kBitwise: return "equal bits, without any condition";
    case Fidelity::kDeclaredOrder:
      return "equal bits to the reference, which adds in the order that the subject declares";
    case Fidelity::kExactInputs: return "equal bits, because the inputs make every order of addition exact";
    case Fidelity::kSelfParity: return "the subject on W ranks has the bits of the same subject on one rank";
    case Fidelity::kBounded: return "inside an error bound, which the failure prints";
  }
  return "";
}

const InstalledMutant* FindMutant(const std::vector<InstalledMutant>& mutants, const std::string& id) {
  const auto found = std::find_if(mutants.begin(), mutants.end(), [&](const auto& mutant) { return mutant.id == id; });
  return found == mutants.end() ? nullptr : &*found;
}

/// "M20: the ..", by number.
std::vector<std::string> MutantsOf(const Clause& clause, std::vector<InstalledMutant> mutants) {
  std::erase_if(mutants, [&](const InstalledMutant& mutant) { return !std::ranges::count(mutant.clauses, clause.id); });
  std::ranges::sort(mutants, {}, [](const InstalledMutant& mutant) { return std::pair(mutant.id.size(), mutant.id); });
  std::vector<std::string> lines;
  for (const InstalledMutant& mutant : mutants) lines.push_back(fmt::format("{}: {}", mutant.id, mutant.title));
  return lines;
}

/// Each line is needed; one of its features is enough.
std::vector<std::string> AboutOf(const Clause& clause) {
  std::vector<std::string> lines;
  for (const auto& alternatives : clause.essential) {
    std::vector<std::string> meanings;
    std::ranges::transform(alternatives, std::back_inserter(meanings), WithMeaning);
    lines.push_back(fmt::format("{}", fmt::join(meanings, "; or ")));
  }
  return lines;
}

void ExplainClause(const Clause& clause, const std::vector<InstalledMutant>& mutants) {
  fmt::print("{} {} ({}, revision {})\n", clause.id, clause.name, clause.family, clause.revision);
  PrintSection("What it requires", clause.sentence);
  std::vector<std::string> bugs;
  for (const RealBug& bug : clause.bugs) bugs.push_back(bug.what + "\n  " + bug.link);
  PrintList("Real bugs", bugs);
  PrintSection("How it is checked", clause.how);
  PrintSection("Source", "conformance/contract/" + clause.file);
  PrintSection("Fidelity", fmt::format("{}: {}", ToString(clause.fidelity), PromiseOf(clause.fidelity)));
  if (MayBeBounded(clause)) {
    PrintSection("Where the subject's models are inexact",
                 fmt::format("{}: {}", ToString(Fidelity::kBounded), PromiseOf(Fidelity::kBounded)));
  }
  PrintList("Applies to cases with", AboutOf(clause));
  std::vector<std::string> minimums;
  for (const std::string& feature : clause.features) minimums.push_back(WithMeaning(feature));
  PrintList("Coverage minimums: each must occur in 5 % of the cases, a costly one in one", minimums);
  PrintList("Not covered yet", clause.needs);
  PrintList("Mutants that it must kill", MutantsOf(clause, mutants));
}

void ExplainLive(const watch::LiveClause& clause) {
  fmt::print("{} {} ({}: judged by zerocts watch; a finding is {})\n", clause.id, clause.name, kLiveFamily,
             clause.level == watch::Level::kAlarm ? "an alarm" : "a notice");
  PrintSection("What it requires", clause.sentence);
  std::string bugs;
  for (const auto& [what, link] : clause.bugs) bugs += what + "\n" + link + "\n";
  if (!bugs.empty()) PrintSection("Real bugs", bugs);
  PrintSection("How it is checked", clause.how);
  PrintSection("When it is not seen", clause.unseen + ".");
  PrintSection("Source", "conformance/contract/" + clause.file);
  PrintSection("Fidelity", ToString(clause.fidelity));
}

void ExplainMutant(const InstalledMutant& mutant) {
  fmt::print("{} ({} of {})\n", mutant.id, mutant.benign ? "benign variant" : "mutant", mutant.subject);
  PrintSection(mutant.benign ? "What it changes" : "What it does wrong", mutant.title);
  if (mutant.benign) {
    PrintSection("What must happen",
                 "Every clause passes: the change is allowed, and a complaint would be a false alarm.");
  } else {
    PrintList("Which clauses must find it", mutant.clauses);
  }
  PrintList("Real bugs of this kind", mutant.bugs);
}

/// The shipped kill matrix knows of each mutant what a user needs, whether it was built or not.
void ExplainKnownFault(const KnownFault& fault) {
  fmt::print("{} (mutant, not built here: scripts/run mutants builds all of them)\n", fault.id);
  PrintSection("What it does wrong", fault.title);
  PrintList("Which clauses must find it", fault.clauses);
}

/// The clauses of a family, by what they require.
bool ExplainFamily(const std::string& word) {
  bool is_family = false;
  for (const Clause& clause : AllClauses()) {
    if (clause.family != word) continue;
    is_family = true;
    PrintSection(fmt::format("{} {}", clause.id, clause.name), clause.sentence);
  }
  return is_family;
}

/// Its clauses by name: their families say what they require.
bool ExplainProfile(const std::string& word) {
  const auto profile = std::ranges::find(AllProfiles(), word, &Profile::name);
  if (profile == AllProfiles().end()) return false;
  PrintSection("Profile " + word, profile->meaning);
  std::vector<std::string> clauses;
  for (const Clause& clause : AllClauses()) {
    if (std::ranges::count(profile->clauses, clause.id)) clauses.push_back(clause.id + " " + clause.name);
  }
  PrintList("It is reached in full when these pass, not by the subject's word alone", clauses);
  if (!profile->feature.empty()) PrintSection("Each asked in cases with", WithMeaning(profile->feature));
  return true;
}

/// What a case has, and the clauses that need such cases.
bool ExplainFeature(const std::string& word) {
  const bool is_feature =
      std::ranges::any_of(FeatureMeanings(), [&](const auto& feature) { return feature.first == word; });
  if (!is_feature) return false;
  PrintSection("Feature of a case", WithMeaning(word));
  std::vector<std::string> clauses;
  for (const Clause& clause : AllClauses()) {
    if (std::ranges::count(clause.features, word)) clauses.push_back(clause.id + " " + clause.name);
  }
  if (!clauses.empty()) PrintList("Clauses that need such cases", clauses);
  return true;
}

void Explain(const std::string& word) {
  const std::vector<InstalledMutant> mutants = InstalledMutants();
  if (const InstalledMutant* mutant = FindMutant(mutants, word)) return ExplainMutant(*mutant);
  std::vector<std::string> known;
  for (const Clause& clause : AllClauses()) known.push_back(clause.id);
  for (const InstalledMutant& mutant : mutants) known.push_back(mutant.id);
  const auto clause = std::ranges::find_if(AllClauses(), [&](const Clause& c) { return Names(word, c); });
  if (clause != AllClauses().end()) return ExplainClause(*clause, mutants);
  std::vector<std::string> words = {word};
  const std::vector<watch::LiveClause> live = TakeLive(words);
  for (const watch::LiveClause& clause : live) ExplainLive(clause);
  if (!live.empty()) return;
  const bool is_family = ExplainFamily(word), is_profile = ExplainProfile(word), is_feature = ExplainFeature(word);
  if (is_family || is_profile || is_feature) return;
  const std::vector<KnownFault> faults = LoadKnownFaults(InstalledPath("share/zerocts/known_faults.json"));
  const auto fault = std::ranges::find(faults, word, &KnownFault::id);
  if (fault != faults.end()) return ExplainKnownFault(*fault);
  throw UsageError(fmt::format(
      "expected a clause, a family, a profile, a feature or a mutant, got '{}'{}; zerocts list and zerocts mutants "
      "--list show them",
      word, DidYouMean(word, known)));
}

}  // namespace

void AddExplainCommand(CLI::App& program, int& exit_code) {
  auto word = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("explain",
                                             "What a clause requires, why, and how it is checked; what a family or a "
                                             "profile requires; what a feature of a case is; or what a mutant does");
  command
      ->add_option("CLAUSE|FAMILY|PROFILE|FEATURE|MUTANT", *word,
                   "Such as C-ZERO-001, reduction, zero-2, large_state or M01")
      ->required();
  command->callback([word, &exit_code] {
    Explain(*word);
    exit_code = 0;
  });
}

}  // namespace zerocts
