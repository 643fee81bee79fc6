#include "conformance/report/diagnosis/symptoms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "conformance/report/diagnosis/circumstances.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr size_t kMostWords = 16;

/// Everything that differs from run to run has a digit, or is a sign.
bool IsSameEverywhere(const std::string& word) {
  return std::ranges::any_of(word, [](unsigned char c) { return std::isalpha(c); }) &&
         std::ranges::none_of(word, [](unsigned char c) { return std::isdigit(c); });
}

std::string Trimmed(const std::string& word) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto begin = std::ranges::find_if(word, is_letter);
  const auto end = std::find_if(word.rbegin(), word.rend(), is_letter).base();
  return begin < end ? std::string(begin, end) : "";
}

/// A field of the failure's first difference; "" where nothing differs, or it has no such field.
std::string InFirstDifference(const json& failure, const char* field) {
  return failure.value("first_difference", json::object()).value(field, "");
}

/// Where in the run there were failures.
struct FailedWhere {
  std::set<int> stages;
  bool on_one_rank = false, one_rank_judged = false;
  std::set<std::string> failed_precisions, judged_precisions;

  void AddJudged(const ConfigurationView& configuration) {
    if (configuration.cases == 0) return;
    one_rank_judged |= configuration.world_size == 1;
    judged_precisions.insert(configuration.precision);
  }

  void AddFailed(const ConfigurationView& configuration, const json& failure) {
    on_one_rank |= configuration.world_size == 1;
    failed_precisions.insert(configuration.precision);
    const json c = failure.value("case", json::object());
    if (c.is_object() && c.contains("stage") && c["stage"].is_number_integer()) stages.insert(c["stage"].get<int>());
  }

  void AddTo(Symptoms& symptoms) const {
    if (failed_precisions.empty()) return;
    if (one_rank_judged && !on_one_rank) symptoms.insert({"", "where", "several ranks only"});
    if (judged_precisions.size() > 1 && failed_precisions.size() == 1)
      symptoms.insert({"", "where", *failed_precisions.begin() + " only"});
    if (!stages.empty()) symptoms.insert({"", "where", fmt::format("stages {}", fmt::join(stages, " "))});
  }
};

/// A note on factors names several where the case cannot tell them apart, so each counts by itself.
void AddFailure(const std::string& clause, const json& failure, Symptoms& symptoms) {
  const auto add = [&](const char* kind, const std::string& word) {
    if (!word.empty()) symptoms.insert({clause, kind, word});
  };
  const std::vector<std::string> factors = failure.value("factors", std::vector<std::string>());
  add("fails", ToString(ResultOfFailure(failure)));
  add("says", WordingOf(failure.value("sentence", "")));
  add("in", InFirstDifference(failure, "phase"));
  for (const std::string& factor : factors) add("factor", factor);
  if (factors.empty()) add("says", WordingOf(NoteIn(failure)));
}

}  // namespace

std::string NoteIn(const json& failure) { return InFirstDifference(failure, "note"); }

std::string WordingOf(const std::string& sentence) {
  std::vector<std::string> words;
  std::istringstream in(sentence);
  for (std::string word; words.size() < kMostWords && in >> word;) {
    if (!IsSameEverywhere(word)) continue;
    words.push_back(Trimmed(word));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

Symptoms SymptomsOf(const RunView& view) {
  Symptoms symptoms;
  FailedWhere failed_where;
  for (const ClauseView& clause : view.clauses) {
    for (const ConfigurationView& configuration : clause.configurations) {
      failed_where.AddJudged(configuration);
      for (const json& failure : configuration.failures) {
        AddFailure(clause.id, failure, symptoms);
        failed_where.AddFailed(configuration, failure);
      }
    }
  }
  for (const GroupEndView& end : view.group_ends) symptoms.insert({end.phase, "fails", ToString(end.result)});
  failed_where.AddTo(symptoms);
  for (const Circumstance& circumstance : CircumstancesOf(view)) symptoms.insert({"", "when", circumstance.Text()});
  return symptoms;
}

}  // namespace zerocts
