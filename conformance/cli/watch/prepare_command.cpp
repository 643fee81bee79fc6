// zerocts watch prepare: builds what the witness uses beside Python, for the torch of one Python.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/cli/commands.hpp"
#include "conformance/host/subjects/python_program.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts {
namespace {

int Prepare(const std::string& python) {
  const PythonAnswer built = AskPython(python, "zerocts_watch/prepare.py", {});
  if (!built.found) throw UsageError(built.text);
  fmt::print("{}\n", built.text);
  return kExitConformant;
}

}  // namespace

void AddWatchPrepareCommand(CLI::App& watch, int& exit_code) {
  auto python = std::make_shared<std::string>("python3");
  CLI::App* command = watch.add_subcommand(
      "prepare",
      "Build a small C++ library for the installed torch, once: with it watch knows which reduction a "
      "collective was asked for, and costs less; prints its path");
  command->add_option("--python", *python, "The Python that has torch")->capture_default_str();
  command->callback([python, &exit_code] { exit_code = Prepare(*python); });
}

}  // namespace zerocts
