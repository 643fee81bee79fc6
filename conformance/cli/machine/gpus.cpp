#include "conformance/cli/machine/gpus.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr int kNoSuchProgram = 127;
constexpr const char* kQuestion =
    "timeout 30 nvidia-smi --query-gpu=index,name,uuid,memory.total,driver_version --format=csv,noheader,nounits 2>&1";

}  // namespace

GpuSurvey SurveyGpus() {
  std::string listing;
  FILE* answer = popen(kQuestion, "r");
  if (!answer) throw HarnessError("nvidia-smi cannot be started");
  for (int c; (c = std::fgetc(answer)) != EOF;) listing += static_cast<char>(c);
  const int status = pclose(answer);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {GpusFromListing(listing), "nvidia-smi lists none"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram) return {{}, "nvidia-smi is not on the PATH"};
  const std::string first_line = listing.substr(0, listing.find('\n'));
  return {{}, first_line.empty() ? "nvidia-smi does not answer" : first_line};
}

std::vector<Gpu> GpusFromListing(const std::string& listing) {
  static const std::regex kLine(R"((\d+), (.*), (\S+), (\d+), (\S+))");
  std::vector<Gpu> gpus;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::smatch field;
    if (!std::regex_match(line, field, kLine)) {
      throw HarnessError(fmt::format("nvidia-smi: expected index, name, uuid, memory, driver; got '{}'", line));
    }
    gpus.push_back({std::stoi(field[1]), field[2], field[3], field[5], std::stoll(field[4])});
  }
  return gpus;
}

std::string CtestResourceSpec(const std::vector<Gpu>& gpus) {
  nlohmann::json slots = nlohmann::json::array();
  for (const Gpu& gpu : gpus) slots.push_back({{"id", std::to_string(gpu.index)}, {"slots", 1}});
  const nlohmann::json local = {{"gpus", slots}};
  return nlohmann::json{{"version", {{"major", 1}, {"minor", 0}}}, {"local", {local}}}.dump(2) + "\n";
}

}  // namespace zerocts
