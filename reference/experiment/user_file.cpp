#include "reference/experiment/user_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace zerocts {
namespace {

namespace fs = std::filesystem;

const char* KindOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::fifo: return "a fifo";
    case fs::file_type::socket: return "a socket";
    default: return "a device";
  }
}

bool IsThere(const fs::file_status& status) { return fs::exists(status) && status.type() != fs::file_type::unknown; }

std::ifstream Unopened(int error) {
  std::ifstream file;
  file.setstate(std::ios::failbit);
  errno = error == 0 ? ENOENT : error;
  return file;
}

bool Write(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::ifstream OpenUserFile(const std::string& path, uint64_t most_bytes) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  if (!IsThere(status) || fs::is_directory(status)) return Unopened(fs::is_directory(status) ? EISDIR : none.value());
  if (!fs::is_regular_file(status))
    throw UnfitFile("expected a regular file, got " + path + ", " + KindOf(status.type()) + "; name a file");
  if (const uint64_t bytes = fs::file_size(path, none); !none && bytes > most_bytes)
    throw UnfitFile("expected a file of at most " + std::to_string(most_bytes >> 20) + " MiB, got " + path + " with " +
                    std::to_string(bytes >> 20) + " MiB; name a smaller one");
  return std::ifstream(path, std::ios::binary);
}

int ReplaceFile(const std::string& path, std::initializer_list<std::string_view> text) {
  const std::string written = path + ".new";
  unlink(written.c_str());
  const int file = open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = std::ranges::all_of(text, [&](std::string_view piece) { return Write(file, piece); }) ? 0 : errno;
  if (close(file) != 0 && !error) error = errno;
  if (!error && rename(written.c_str(), path.c_str()) != 0) error = errno;
  if (error) unlink(written.c_str());
  return error;
}

void SetLinkAside(const std::string& path, const std::string& kept) {
  std::error_code none;
  const bool is_regular = fs::is_regular_file(path, none);
  if (fs::is_symlink(path, none) || (is_regular && fs::hard_link_count(path, none) > 1)) fs::rename(path, kept, none);
}

}  // namespace zerocts
