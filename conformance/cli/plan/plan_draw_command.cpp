// zerocts plan draw: parameters from top to bottom, who holds them from left to right.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conformance/cli/commands.hpp"
#include "conformance/cli/output.hpp"
#include "conformance/cli/plan/plan_source.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/plans/picture.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts {
namespace {

constexpr int kTextRows = 40, kTextColumns = 64, kSvgRows = 60, kSvgColumns = 800;

plan::State StateNamed(const std::string& name) {
  for (const plan::State state : plan::kStates) {
    if (name == NameOf(state)) return state;
  }
  throw UsageError(fmt::format("--state: expected parameters, gradients or optimizer, got '{}'", name));
}

}  // namespace

void AddPlanDrawCommand(CLI::App& plan, int& exit_code) {
  struct Options {
    std::string svg, state = "optimizer";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = plan.add_subcommand("draw", "Draw a plan on the terminal, or as SVG");
  auto source = AddPlanSource(*command, true);
  command->add_option("--svg", options->svg, "Write the picture to this file instead");
  command->add_option("--state", options->state, "parameters, gradients or optimizer")->capture_default_str();
  command->callback([source, options, &exit_code] {
    const plan::State state = StateNamed(options->state);
    const plan::Plan loaded = source->Load();
    if (options->svg.empty()) {
      fmt::print("{}", PictureText(PictureOf(loaded, state, kTextRows, kTextColumns)));
    } else {
      WriteFile(options->svg, PictureSvg(PictureOf(loaded, state, kSvgRows, kSvgColumns)));
    }
    const plan::Verdict verdict = plan::Judge(loaded);
    if (!verdict.sound()) {  // a cell shows one owner, where the plan may name two
      fmt::print(stderr, "The plan is not sound, {}; zerocts plan verify says more\n",
                 ToString(verdict.firsts.front()));
    }
    exit_code = 0;
  });
}

}  // namespace zerocts
