// The program as a user runs it: in a folder with the files that tests speak of, through a shell.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "conformance/report/log/has_for_test.hpp"

namespace zerocts {

namespace fs = std::filesystem;

struct Ended {
  int exit_code = -1;
  std::string out, err;
};

inline std::string Contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder with the files that the tests speak of, and the program run in it through a shell.
class Program : public testing::Test {
 protected:
  Program() {
    std::string name = testing::TempDir() + "zerocts_cli.XXXXXX";
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
    folder_ = name;
    Put("empty.txt", "");
    Put("short.txt", "ab");
    constexpr char kBinary[] =
        "\x7f"
        "ELF\0\1\2\0 text with zero bytes\0";
    Put("binary.txt", std::string(kBinary, sizeof kBinary));
    Put("plain.txt", "not what was expected\n");
    Put("cut.json", "{\"clause\":");
    Put("foreign.json", "{\"clause\": 3}\n");
    Put("deep.json", std::string(100'000, '[') + std::string(100'000, ']'));
    Put("twice.json", R"({"subject": "a", "subject": "b"})");
    Put("huge.json", R"({"record": 1e400})");
    fs::create_directory(folder_ / "folder");
    fs::create_directories(folder_ / "corpus/C-ZERO-999");
  }
  ~Program() override { fs::remove_all(folder_); }

  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  const fs::path& folder() const { return folder_; }

  /// `arguments` and `variables` as a shell takes them.
  Ended Run(const std::string& arguments, const std::string& variables = "") {
    const std::string command = "cd '" + folder_.string() + "' && env XDG_CACHE_HOME=\"$PWD\" " + variables +
                                " '" ZEROCTS_PROGRAM "' " + arguments + " >stdout.log 2>stderr.log </dev/null";
    FILE* shell = popen(command.c_str(), "r");
    const int status = pclose(shell);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Contents(folder_ / "stdout.log"),
            Contents(folder_ / "stderr.log")};
  }

 private:
  fs::path folder_;
};

}  // namespace zerocts
