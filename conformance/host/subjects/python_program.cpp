#include "conformance/host/subjects/python_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/programs.hpp"

namespace zerocts {

namespace {

class OwnedFile {
 public:
  explicit OwnedFile(int file) : file_(file) {}
  ~OwnedFile() { Close(); }
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;

  int get() const { return file_; }
  void Close() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

 private:
  int file_;
};

/// A file without a name that holds the text, to be read from its beginning.
int FileOf(const std::string& text) {
  const int file = memfd_create("zerocts-input", MFD_CLOEXEC);
  if (file < 0) throw HarnessError(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR)
      throw HarnessError(fmt::format("cannot fill a file in memory: {}", std::strerror(errno)));
    done += wrote > 0 ? static_cast<size_t>(wrote) : 0;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

std::string ReadToEnd(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    text.append(buffer, got > 0 ? static_cast<size_t>(got) : 0);
  }
  return text;
}

}  // namespace

std::filesystem::path AdaptersFolder() {
  return (std::filesystem::path(OwnProgram()).parent_path() / "../share/zerocts/adapters").lexically_normal();
}

void OfferAdaptersToPython() {
  const char* const set = std::getenv("PYTHONPATH");
  const std::string before = set && *set ? std::string(set) + ":" : "";
  setenv("PYTHONPATH", (before + AdaptersFolder().string()).c_str(), 1);
}

PythonAnswer AskPython(const std::string& python, const std::string& file, const std::vector<std::string>& arguments,
                       const std::string& input) {
  std::vector<std::string> words = {python, (AdaptersFolder() / file).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int answer[2];
  if (pipe2(answer, O_CLOEXEC) != 0) throw HarnessError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const OwnedFile standard_input(FileOf(input)), read_end(answer[0]);
  OwnedFile write_end(answer[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, standard_input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, write_end.get(), STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  write_end.Close();
  if (error)
    throw UsageError(
        fmt::format("expected {} in PATH, got none ({}); install it (Debian: python3)", python, std::strerror(error)));
  std::string text = ReadToEnd(read_end.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  while (text.ends_with('\n')) text.pop_back();
  if (!WIFEXITED(status) || text.empty())
    throw HarnessError(fmt::format("{} ended without an answer; its output is above", words[1]));
  if (WEXITSTATUS(status) == kExitHarnessError) throw HarnessError(text);
  return {WEXITSTATUS(status) == 0, text};
}

}  // namespace zerocts
