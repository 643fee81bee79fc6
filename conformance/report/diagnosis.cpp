#include "conformance/report/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/report/text.hpp"

namespace zerocts {

using nlohmann::json;

json ToJson(const Diagnosis& diagnosis) {
  json candidates = json::array();
  for (const Candidate& candidate : diagnosis.candidates)
    candidates.push_back({{"id", candidate.id},
                          {"title", candidate.title},
                          {"likeness", std::round(candidate.likeness * 1000) / 1000},
                          {"fits", candidate.fits}});
  return {{"candidates", candidates}, {"order", diagnosis.order}};
}

Diagnosis DiagnosisFromJson(const json& value) {
  Diagnosis diagnosis{.candidates = {}, .order = value.at("order")};
  for (const json& candidate : value.at("candidates"))
    diagnosis.candidates.push_back(
        {candidate.at("id"), candidate.at("title"), candidate.at("likeness"), candidate.at("fits")});
  return diagnosis;
}

std::string DiagnosisText(const Diagnosis& diagnosis) {
  if (diagnosis.candidates.empty()) return "";
  std::string text =
      "\nDiagnosis: the known faults that these failures are most like; below 60 % it is a guess (zerocts explain "
      "ID)\n";
  for (const Candidate& candidate : diagnosis.candidates) {
    text += Wrap(
        Printable(fmt::format("as {}: {} ({:.0f} % alike)", candidate.id, candidate.title, 100 * candidate.likeness)),
        kColumns, 2);
    text += Wrap(Printable(fmt::format("fits: {}", fmt::join(candidate.fits, ", "))), kColumns, 4);
  }
  return text;
}

}  // namespace zerocts
