// By which norm and formula gradients are clipped: chosen where clipping is drawn, and only if it is.
#pragma once
#include <iterator>

#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {

/// One that the subject declares: any if the clause varies it, else the usual one, or the first that is declared.
void DrawClipNorm(Drawing& drawing);
void DrawClipFormula(Drawing& drawing);

inline bool IsClipped(const Case& c) { return c.experiment.max_norm != 0; }

template <typename Choice>
void DrawClipChoice(Drawing& drawing, const std::string& dimension, const std::vector<Choice>& declared,
                    Choice& choice) {
  if (!Contains(declared, choice)) choice = declared.front();
  if (drawing.space.varies(dimension)) choice = drawing.draws.Pick(declared);
}

/// Asks for clipping, by a norm and a formula that are declared.
inline void Clip(Case& c, const Capabilities& can) {
  Experiment& e = c.experiment;
  e.max_norm = 1;
  if (!Contains(can.clip_norms, e.clip_norm)) e.clip_norm = can.clip_norms.front();
  if (!Contains(can.clip_formulas, e.clip_formula)) e.clip_formula = can.clip_formulas.front();
}

/// "none" where nothing is clipped.
template <typename Choice, typename Of>
NamedValues ChoicesWhereClipped(std::vector<Choice> Capabilities::*list, Of of) {
  return {.of = [of](const Case& c) { return IsClipped(c) ? ToString(of(c)) : "none"; },
          .available =
              [list](const RunTerms& terms) {
                std::vector<std::string> names = {"none"};
                if (terms.can.clip) std::ranges::copy(NamesOf(terms.can.*list), std::back_inserter(names));
                return names;
              }};
}

/// Who only says "2" and "min" need not clip: what is not used may be at its default.
template <typename Choice>
std::string UnlistedUnlessUsual(const std::string& what, const Case& c, Choice asked, Choice usual,
                                const std::vector<Choice>& declared) {
  return !IsClipped(c) && asked == usual ? "" : Unlisted(what, asked, declared);
}

}  // namespace zerocts
