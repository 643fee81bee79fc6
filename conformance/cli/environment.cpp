// Names variables after options and looks for strangers.
#include "conformance/cli/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/nearest.hpp"
#include "conformance/host/wire/worker_variables.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

constexpr const char* kPrefix = "ZEROCTS_";
constexpr const char* kProgram = "PROGRAM";  // of zerocts gpus, with arguments that may be empty

/// Set for ranks by the launchers, and for dashboards by CTestConfig.cmake; no options.
const std::vector<std::string> kInternal = {
    kConductorVariable,  kConductorPidVariable, kGroupFolderVariable, kGroupSecretVariable, kShimVariable,
    kShimSecretVariable, "ZEROCTS_RANK",        "ZEROCTS_WORLD_SIZE", "ZEROCTS_SUBMIT_URL",
};

std::string VariableOf(const std::string& option) {
  std::string name = kPrefix;
  for (char c : option) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::vector<CLI::App*> Subcommands(CLI::App& program) {
  return program.get_subcommands([](CLI::App*) { return true; });
}

void RequireFileOf(const char* variable) {
  const char* path = std::getenv(variable);
  std::error_code none;
  if (!path || !*path || std::filesystem::is_regular_file(path, none)) return;
  throw UsageError(
      fmt::format("{}: expected a shared library, got '{}', which is no file; correct it or unset it", variable, path));
}

std::string ProblemOfValue(const std::string& value) {
  if (value.find_first_not_of(", \t\n") != std::string::npos) return "";
  return fmt::format("expected at least one word, got '{}' (perhaps a variable of a script is empty)", value);
}

void RefuseEmptyValuesOf(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const bool is_flag = option->get_items_expected_max() == 0;
    if (!is_flag && option->get_name() != kProgram) option->check(ProblemOfValue);
  }
  for (CLI::App* below : Subcommands(command)) RefuseEmptyValuesOf(*below);
}

}  // namespace

void NameVariables(CLI::App& program) {
  for (CLI::App* command : Subcommands(program)) {
    for (CLI::Option* option : command->get_options()) {
      if (option == command->get_help_ptr() || option->get_lnames().empty()) continue;
      option->envname(VariableOf(option->get_lnames().front()));
    }
  }
}

void RefuseEmptyValues(CLI::App& program) {
  for (CLI::App* command : Subcommands(program)) RefuseEmptyValuesOf(*command);
}

void RefuseBadVariables() {
  try {
    ChosenHostThreads();
    if (std::getenv("ZEROCTS_KERNELS")) ChosenHostKernels();
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(wrong.what());
  }
  RequireFileOf("ZEROCTS_NCCL_LIBRARY");
  RequireFileOf("ZEROCTS_CUBLAS_LIBRARY");
}

void RefuseUnknownVariables(const CLI::App& program, const std::vector<std::string>& environment) {
  std::vector<std::string> known = kInternal;
  known.insert(known.end(), kEngineVariables.begin(), kEngineVariables.end());
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_envname().empty()) known.push_back(option->get_envname());
    }
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& entry : environment) {
    const std::string name = entry.substr(0, entry.find('='));
    if (name.rfind(kPrefix, 0) != 0 || std::binary_search(known.begin(), known.end(), name)) continue;
    throw UsageError(
        fmt::format("expected only known ZEROCTS_ variables in the environment, got {}{}; unset it or correct it", name,
                    DidYouMean(name, known)));
  }
}

std::vector<std::string> ProcessEnvironment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::vector<std::string> ProcessArguments() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(in, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace zerocts
