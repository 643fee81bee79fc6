// For tests: a text file that goes away with the test.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace zerocts {

class TemporaryText {
 public:
  explicit TemporaryText(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("zerocts_text_" + std::to_string(getpid()) + "_" + std::to_string(made_++))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryText() { std::filesystem::remove(path_); }
  TemporaryText(const TemporaryText&) = delete;
  TemporaryText& operator=(const TemporaryText&) = delete;

  std::string path() const { return path_.string(); }

 private:
  static inline int made_ = 0;
  std::filesystem::path path_;
};

}  // namespace zerocts
