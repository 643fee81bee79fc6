#include "conformance/report/words/mark.hpp"

#include <fmt/format.h>

namespace zerocts {

Mark MarkOf(Result result) {
  switch (result) {
    case Result::kNotApplicable: return {"-", "not applicable to this subject", "\u2013"};
    case Result::kLeftOut: return {"out", "left out by an option of this run", "\u00b7"};
    case Result::kPass: return {"ok", "passed", "\u2713"};
    case Result::kSelfReported: return {"self", "passed, by self-reported figures", "\u201c"};
    case Result::kExpected: return {"known", "failed as the expectations file says", "\u2248"};
    case Result::kStale: return {"STALE", "did not fail as the expectations file says", "\u21bb"};
    case Result::kNotRun: return {"not", "not run, because the run ended before", "\u25cb"};
    case Result::kTooFew: return {"FEW", "too few cases to count as checked", "\u2026"};
    case Result::kFail: return {"FAIL", "a case showed a wrong result", "\u2717"};
    case Result::kRefused: return {"REFUS", "refused what the subject declares that it can do", "\u2298"};
    case Result::kDisagreement: return {"DISAG", "ranks ended differently", "\u2260"};
    case Result::kGarbage: return {"GARB", "a rank sent what the protocol does not know", "\u2048"};
    case Result::kEarlyExit: return {"EXIT", "a rank exited with 0 before the case was done", "\u21e5"};
    case Result::kHang: return {"HANG", "a deadline passed", "\u29d6"};
    case Result::kCrash: return {"CRASH", "a rank died", "\u2739"};
    case Result::kHarnessError: return {"ERROR", "zerocts itself failed", "\u26a0"};
  }
  return {"?", "", "?"};
}

std::string WordsOf(Result result) {
  if (result == Result::kSelfReported) return "self-reported";
  std::string words = ToString(result);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string Painter::As(Result result, const std::string& text) const {
  if (result == Result::kPass) return Painted(text, "32");
  if (!IsAsked(result)) return Painted(text, "2");
  const bool is_pale = result == Result::kSelfReported || result == Result::kTooFew || result == Result::kExpected ||
                       result == Result::kNotRun;
  return Painted(text, is_pale ? "33" : "31;1");
}

std::string Painter::Painted(const std::string& text, const char* code) const {
  return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string Clipped(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

}  // namespace zerocts
