#include "conformance/report/view/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/report/words/text.hpp"

namespace zerocts {

using nlohmann::json;

namespace {

std::string Paragraph(const std::string& text, size_t indent) { return Wrap(Printable(text), kColumns, indent); }

std::string NotesText(const Diagnosis& diagnosis) {
  std::string text;
  for (const SharedNote& note : diagnosis.notes)
    text += Paragraph(fmt::format("{} of {} failing clauses: {}", note.clauses, diagnosis.failing, note.text), 2);
  return text;
}

std::string CandidatesText(const Diagnosis& diagnosis) {
  if (diagnosis.candidates.empty()) return "";
  const bool is_guess = diagnosis.candidates.front().likeness < kSurelyAlike;
  std::string text =
      fmt::format("  similar known faults{} (zerocts explain ID says more):\n", is_guess ? ", a guess" : "");
  for (const Candidate& candidate : diagnosis.candidates) {
    const std::string also = candidate.also.empty() ? "" : fmt::format(" (or {})", fmt::join(candidate.also, ", "));
    text += Paragraph(
        fmt::format("{:3.0f} % similar: {}, {}{}", 100 * candidate.likeness, candidate.id, candidate.title, also), 4);
    text += Paragraph(fmt::format("in common: {}", fmt::join(candidate.fits, "; ")), 6);
  }
  return text;
}

std::string UnlikeLine(const Diagnosis& diagnosis) {
  if (diagnosis.unlike.empty()) return "";
  return Paragraph((diagnosis.candidates.empty() ? "perhaps " : "or, if it is none of these, ") + UnlikeText(diagnosis),
                   2);
}

/// "; every failing case has multi_group: two or more groups have parameters", beside another note.
std::string CircumstanceIn(const Diagnosis& diagnosis) {
  const auto found =
      std::ranges::find_if(diagnosis.notes.begin() + 1, diagnosis.notes.end(),
                           [](const SharedNote& note) { return note.text.starts_with("every failing case has "); });
  return found == diagnosis.notes.end() ? "" : "; " + found->text;
}

}  // namespace

std::string UnlikeText(const Diagnosis& diagnosis) {
  return fmt::format("a fault that {} is about and no known one is like (zerocts explain {})",
                     fmt::join(diagnosis.unlike, " or "), diagnosis.unlike.front());
}

json ToJson(const Diagnosis& diagnosis) {
  json notes = json::array(), candidates = json::array();
  for (const SharedNote& note : diagnosis.notes) notes.push_back({{"text", note.text}, {"clauses", note.clauses}});
  for (const Candidate& candidate : diagnosis.candidates)
    candidates.push_back({{"id", candidate.id},
                          {"title", candidate.title},
                          {"likeness", std::round(candidate.likeness * 1000) / 1000},
                          {"fits", candidate.fits},
                          {"also", candidate.also}});
  return {{"failing", diagnosis.failing},
          {"notes", notes},
          {"candidates", candidates},
          {"unlike_clauses", diagnosis.unlike},
          {"order", diagnosis.order}};
}

Diagnosis DiagnosisFromJson(const json& value) {
  Diagnosis diagnosis{.failing = value.value("failing", int64_t{0}),
                      .unlike = value.value("unlike_clauses", std::vector<std::string>()),
                      .order = value.at("order")};
  for (const json& note : value.value("notes", json::array()))
    diagnosis.notes.push_back({note.at("text"), note.at("clauses")});
  for (const json& candidate : value.at("candidates"))
    diagnosis.candidates.push_back({candidate.at("id"), candidate.at("title"), candidate.at("likeness"),
                                    candidate.at("fits"), candidate.value("also", std::vector<std::string>())});
  return diagnosis;
}

std::string DiagnosisLine(const Diagnosis& diagnosis) {
  if (!diagnosis.notes.empty()) {
    const SharedNote& note = diagnosis.notes.front();
    return Paragraph(fmt::format("Diagnosis: {} of {} failing clauses: {}{}", note.clauses, diagnosis.failing,
                                 note.text, CircumstanceIn(diagnosis)),
                     0);
  }
  if (!diagnosis.candidates.empty()) {
    const Candidate& candidate = diagnosis.candidates.front();
    return Paragraph(
        fmt::format("Diagnosis{}: {:.0f} % similar to {}, {}", candidate.likeness < kSurelyAlike ? ", a guess" : "",
                    100 * candidate.likeness, candidate.id, candidate.title),
        0);
  }
  return diagnosis.unlike.empty() ? "" : Paragraph("Diagnosis: perhaps " + UnlikeText(diagnosis), 0);
}

std::string DiagnosisText(const Diagnosis& diagnosis) {
  const std::string text = NotesText(diagnosis) + CandidatesText(diagnosis) + UnlikeLine(diagnosis);
  return text.empty() ? "" : "\nDiagnosis:\n" + text;
}

}  // namespace zerocts
