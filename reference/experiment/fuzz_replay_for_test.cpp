// Runs a fuzz target without libFuzzer: on its seeds, on damaged ones, and on each file of the folders that are named.
// Exit code 1, or a crash after the name of the input, is a finding.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

constexpr int kDamagedOfEachSeed = 100;

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Cut, with other bytes, or with a part of it twice.
std::string Damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t end) { return random() % std::max<size_t>(end, 1); };
  switch (below(4)) {
    case 0: bytes.resize(below(bytes.size())); break;
    case 1: bytes.insert(below(bytes.size()), bytes.substr(below(bytes.size()), below(64))); break;
    default:
      for (size_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
        bytes[below(bytes.size())] = static_cast<char>(random());
      }
  }
  return bytes;
}

int Run(const std::string& name, const std::string& bytes) {
  try {
    FuzzOne(bytes);
    return 0;
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s: an exception leaves the reader: %s\n", name.c_str(), thrown.what());
    return 1;
  }
}

int RunSeeds() {
  std::mt19937 random(1);
  int findings = 0;
  const std::vector<std::string> seeds = FuzzSeeds();
  for (size_t seed = 0; seed < seeds.size(); ++seed) {
    const std::string name = "seed " + std::to_string(seed);
    findings += Run(name, seeds[seed]);
    for (int i = 0; i < kDamagedOfEachSeed; ++i) {
      findings += Run(name + ", damage " + std::to_string(i), Damaged(seeds[seed], random));
    }
  }
  return findings;
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  int findings = zerocts::RunSeeds();
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      findings += zerocts::Run(entry.path(), zerocts::Contents(entry.path()));
    }
  }
  return findings == 0 ? 0 : 1;
}
