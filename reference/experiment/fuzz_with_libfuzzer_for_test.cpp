// libFuzzer's two entry points for the target that is linked with this file.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "reference/experiment/fuzz_target_for_test.hpp"

/// Writes the seeds into the corpus, the first folder on the command line, before libFuzzer reads it.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::filesystem::path folder = (*argv)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    const std::vector<std::string> seeds = zerocts::FuzzSeeds();
    for (size_t seed = 0; seed < seeds.size(); ++seed) {
      std::ofstream(folder / ("seed" + std::to_string(seed)), std::ios::binary) << seeds[seed];
    }
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  zerocts::FuzzOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
