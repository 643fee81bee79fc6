// A fuzz target: a program that reads any bytes as one kind of input from outside. `scripts/fuzz` runs it under
// libFuzzer; ctest gives it the inputs that it makes itself, damaged ones, and those that were findings once
// (testdata/fuzz of its room).
#pragma once
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace zerocts {

// Each target defines these two.

/// Inputs as they really come.
std::vector<std::string> FuzzSeeds();
/// Reads one input. A crash, a sanitizer's report or an exception that leaves it is a finding.
void FuzzOne(std::string_view bytes);

/// Runs `read`, which may refuse the input with an exception of these types and a sentence of our own.
template <typename... Refusals, typename Read>
void ReadOrRefuse(std::string_view input, Read read) {
  try {
    read();
  } catch (const std::exception& thrown) {
    if (!(... || dynamic_cast<const Refusals*>(&thrown))) throw;
    const std::string_view sentence = thrown.what();
    for (const char* of_a_library : {"json.exception", "std::", "basic_string", "vector::"}) {
      if (sentence.find(of_a_library) == sentence.npos || input.find(of_a_library) != input.npos) continue;
      std::fprintf(stderr, "the text of a library reaches the user: %s\n", thrown.what());
      std::abort();
    }
  }
}

/// A file that is there as long as this, for readers that want a path.
class FuzzFile {
 public:
  explicit FuzzFile(std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() / ("zerocts_fuzz." + std::to_string(getpid()))) {
    std::ofstream file(path_, std::ios::binary);
    file << bytes;
    if (!file.flush()) std::abort();
  }
  ~FuzzFile() { std::filesystem::remove(path_); }
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;

  std::string path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

}  // namespace zerocts
