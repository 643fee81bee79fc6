// zerocts plan make: one of our plans for a model, as a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/plan_file.hpp"
#include "reference/plan/forms/affine_map.hpp"
#include "reference/plan/forms/plan_csv.hpp"
#include "reference/plan/forms/plan_json.hpp"

namespace zerocts {
namespace {

std::string TextIn(const std::string& form, const plan::Plan& made) {
  try {
    if (form == "csv") return plan::CsvText(made);
    if (form == "affine") return plan::AffineMapText(made, plan::State::kParameters);
    return plan::JsonText(made);
  } catch (const std::invalid_argument& too_much) {
    throw UsageError(fmt::format("--form {}: {}", form, too_much.what()));
  }
}

}  // namespace

void AddPlanMakeCommand(CLI::App& plan, int& exit_code) {
  struct Options {
    std::string out, form = "json";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = plan.add_subcommand("make", "Write one of our plans, or a plan's file in another form");
  auto source = AddPlanSource(*command, true);
  command->add_option("--out", options->out, "A file; printed without it");
  command
      ->add_option("--form", options->form, "json, csv (intervals), affine (DeepSpeed's affine map of the parameters)")
      ->check(CLI::IsMember({"json", "csv", "affine"}));
  command->callback([source, options, &exit_code] {
    const std::string text = TextIn(options->form, source->Load());
    if (options->out.empty()) {
      fmt::print("{}", text);
    } else {
      WriteFile(options->out, text);
    }
    exit_code = 0;
  });
}

}  // namespace zerocts
