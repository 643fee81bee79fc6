#include "conformance/host/rank/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <utility>

#include "conformance/host/rank/arithmetic_state.hpp"

namespace zerocts {

namespace {

constexpr int kLargestMajorLookedFor = 9;

/// "plugin PATH: expected EXPECTED, got GOT; TO_DO"
PluginError Wrong(const std::string& path, const std::string& expected, const std::string& got,
                  const std::string& to_do) {
  return PluginError(fmt::format("plugin {}: expected {}, got {}; {}", path, expected, got, to_do));
}

void ExpectElfFile(const std::string& path) {
  constexpr const char* kExpected = "a shared library";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw Wrong(path, kExpected, "no file of this name", "check the path");
  if (std::filesystem::is_directory(path, ignored))
    throw Wrong(path, kExpected, "a directory", "name the library in it");
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  if (!file) throw Wrong(path, kExpected, "a file that cannot be read", "check its permissions");
  file.read(magic.data(), magic.size());
  if (std::memcmp(magic.data(), "\177ELF", 4) != 0) {
    throw Wrong(path, kExpected, "a file of another kind (its first bytes are not ELF)",
                "build the plugin with -shared -fPIC and name the .so file");
  }
}

/// The exported table, as the plugin compiled it.
const zerocts_subject* FindTable(void* library, const std::string& path) {
  if (const void* symbol = dlsym(library, ZEROCTS_SUBJECT_SYMBOL)) return static_cast<const zerocts_subject*>(symbol);
  for (int major = 0; major <= kLargestMajorLookedFor; ++major) {
    if (dlsym(library, fmt::format("zerocts_subject_v{}", major).c_str())) {
      throw Wrong(path, fmt::format("ABI major version {} (symbol {})", ZEROCTS_ABI_MAJOR, ZEROCTS_SUBJECT_SYMBOL),
                  fmt::format("version {} (symbol zerocts_subject_v{})", major, major),
                  "compile it with this release's zerocts_subject.h");
    }
  }
  throw Wrong(path, fmt::format("the exported symbol {}", ZEROCTS_SUBJECT_SYMBOL), "a library without it",
              "define it with ZEROCTS_EXPORT; in C++ inside extern \"C\"");
}

/// The part of the table that the plugin knows and this host too; the rest is zero.
zerocts_subject CopyTable(const zerocts_subject& exported, const std::string& path) {
  constexpr const char* kRecompile =
      "compile it with this release's zerocts_subject.h and set struct_size to sizeof(zerocts_subject)";
  constexpr size_t kSmallest = offsetof(zerocts_subject, set_frozen);  // from there on it may be left out
  if (exported.struct_size < kSmallest) {
    throw Wrong(path, fmt::format("a table of at least {} bytes", kSmallest),
                fmt::format("struct_size {}", exported.struct_size), kRecompile);
  }
  if (exported.abi_major != ZEROCTS_ABI_MAJOR) {
    throw Wrong(path, fmt::format("ABI major version {}", ZEROCTS_ABI_MAJOR),
                fmt::format("abi_major {}", exported.abi_major), kRecompile);
  }
  zerocts_subject table{};
  std::memcpy(&table, &exported, std::min(exported.struct_size, sizeof(table)));
  return table;
}

void ExpectComplete(const zerocts_subject& table, const std::string& path) {
  const std::pair<const char*, bool> members[] = {{"name", table.name},
                                                  {"version", table.version},
                                                  {"description", table.description},
                                                  {"capabilities", table.capabilities},
                                                  {"open", table.open},
                                                  {"accumulate", table.accumulate},
                                                  {"step", table.step},
                                                  {"set_group", table.set_group},
                                                  {"read_parameter", table.read_parameter},
                                                  {"owned", table.owned},
                                                  {"read_state", table.read_state},
                                                  {"memory", table.memory},
                                                  {"close", table.close},
                                                  {"status_code", table.status_code},
                                                  {"status_message", table.status_message},
                                                  {"status_free", table.status_free}};
  for (const auto& [name, given] : members) {
    if (!given) {
      throw Wrong(path, fmt::format("a table with the member \"{}\"", name), "NULL there",
                  "set it; a function that it does not offer returns ZEROCTS_UNIMPLEMENTED");
    }
  }
}

/// What is declared may not need a function that is not there.
void ExpectDeclaredFunctions(const zerocts_subject& table, const Capabilities& capabilities, const std::string& path) {
  const std::tuple<const char*, bool, const char*, bool> functions[] = {
      {"frozen", capabilities.frozen, "set_frozen", table.set_frozen},
      {"traffic", capabilities.traffic, "traffic", table.traffic},
      {"timeline", capabilities.timeline, "timeline", table.timeline},
      {"checkpoint", capabilities.checkpoint, "save", table.save},
      {"checkpoint", capabilities.checkpoint, "load", table.load}};
  for (const auto& [name, declared, function, given] : functions) {
    if (!declared || given) continue;
    throw Wrong(path, fmt::format("a table with the member \"{}\" because \"{}\" is declared", function, name),
                "NULL there", "set it, or leave the field out of the capabilities");
  }
}

}  // namespace

std::unique_ptr<Plugin> Plugin::Load(const std::string& path) {
  ExpectElfFile(path);
  std::unique_ptr<Plugin> plugin(new Plugin);
  ArithmeticGuard arithmetic;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (const std::string change = arithmetic.Restore(); !change.empty()) {
    plugin->loading_note_ = fmt::format(
        "loading the plugin changed {}, as a library that was linked with -ffast-math does; it was restored", change);
  }
  if (!library) {
    const char* reason = dlerror();
    throw Wrong(path, "a library that can be loaded", fmt::format("\"{}\"", reason ? reason : "no reason"),
                "check that it was built for this machine and that the libraries it needs are found (ldd)");
  }
  plugin->table_ = CopyTable(*FindTable(library, path), path);
  ExpectComplete(plugin->table_, path);
  try {
    plugin->capabilities_ = CapabilitiesFromJson(plugin->table_.capabilities);
  } catch (const std::invalid_argument& wrong) {
    throw PluginError(fmt::format("plugin {}: {}; see the table of zerocts_subject.h", path, wrong.what()));
  }
  ExpectDeclaredFunctions(plugin->table_, plugin->capabilities_, path);
  return plugin;
}

}  // namespace zerocts
