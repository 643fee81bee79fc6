// zerocts doctor: what this machine has and lacks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/machine/doctor.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/words/mark.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

constexpr int kIndent = 8;

/// What is lacking for a part alone is no fault.
std::string Line(const Examined& e, const Painter& paint) {
  const Result color = e.there ? Result::kPass : e.for_main_job ? Result::kFail : Result::kTooFew;
  const char* word = e.there ? "ok" : e.for_main_job ? "LACKS" : "lacks";
  const std::string text = Wrap(Printable(fmt::format("{}: {}", e.what, e.found)), kColumns, kIndent);
  std::string out = paint.As(color, fmt::format("{:<{}}", word, kIndent)) + text.substr(kIndent);
  if (e.there) return out;
  out += Wrap(Printable("needed for " + e.needed_for), kColumns, kIndent);
  return e.remedy.empty() ? out : out + Wrap(Printable("mend it: " + e.remedy), kColumns, kIndent);
}

int Doctor() {
  const Painter paint(StandardOutputHasColor());
  const std::vector<Examined> all = ExamineMachine();
  for (const Examined& examined : all) fmt::print("{}", Line(examined, paint));
  const auto lacks = std::ranges::count_if(all, [](const Examined& e) { return e.for_main_job && !e.there; });
  if (lacks == 0) {
    fmt::print("\n{}\n", paint.As(Result::kPass, "The main job can run here."));
    return 0;
  }
  fmt::print("\n{}\n",
             paint.As(Result::kFail, fmt::format("The main job cannot run here: {} things are lacking.", lacks)));
  return kExitHarnessError;
}

}  // namespace

void AddDoctorCommand(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "doctor",
      "What this machine has and lacks, for which part, and what mends it; exit code 3 when the main job cannot run");
  command->callback([&exit_code] { exit_code = Doctor(); });
}

}  // namespace zerocts
