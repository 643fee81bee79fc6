#include "conformance/watch/script_of.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace zerocts::watch {
namespace {

/// Modules that run a script of their arguments begin so.
constexpr std::array kLaunchers = {"torch.distributed.", "accelerate.", "deepspeed."};

bool IsLauncher(const std::string& module) {
  return std::ranges::any_of(kLaunchers, [&](const char* launcher) { return module.starts_with(launcher); });
}

}  // namespace

std::string ScriptOf(const std::vector<std::string>& command) {
  for (size_t i = 1; i < command.size(); ++i) {
    if (command[i].ends_with(".py")) return std::filesystem::path(command[i]).filename();
    if (command[i - 1] == "-m" && !IsLauncher(command[i])) return command[i];
  }
  return command.empty() ? "" : std::filesystem::path(command.front()).filename().string();
}

}  // namespace zerocts::watch
