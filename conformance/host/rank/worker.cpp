#include "conformance/host/rank/worker.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "conformance/host/rank/shim.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/own_words.hpp"

namespace zerocts {

namespace {

int ThreadsFrom(const std::string& text) {
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || *end || threads < 1)
    throw UsageError("worker: expected --threads with a number >= 1, got \"" + text + "\"");
  return threads;
}

int Work(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--") return RunShim({arguments.begin() + 1, arguments.end()});
  if (arguments.size() > 1 && arguments[0] == "--all-ranks" && arguments[1] == "--")
    return RunShimOfAllRanks({arguments.begin() + 2, arguments.end()});
  std::string plugin;
  int threads = 1;
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--plugin") plugin = arguments[i + 1];
    if (arguments[i] == "--threads") threads = ThreadsFrom(arguments[i + 1]);
  }
  if (plugin.empty() || arguments.size() % 2) {
    throw UsageError(
        "worker: expected --plugin PATH [--threads W] or -- CMD; zerocts starts workers itself, you need not");
  }
  return HostRanks(plugin, threads);
}

}  // namespace

int WorkerMain(int argc, char** argv) {
  try {
    return Work({argv + 1, argv + argc});
  } catch (const UsageError& wrong) {
    fmt::print(stderr, "zerocts: {}\n", wrong.what());
    return kExitUsage;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "zerocts: {}\n", SentenceOf(failed));
    return kExitHarnessError;
  }
}

}  // namespace zerocts
