#include "impl/subject/checkpoint/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "impl/subject/checkpoint/damaged.hpp"

namespace zerocts::engine {
namespace {

std::string WhyNotOpened(int error) {
  if (error == ENOENT) return "none";
  if (error == ELOOP) return "a symbolic link";
  return fmt::format("one that cannot be opened ({})", std::strerror(error));
}

const char* KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a fifo";
  return "a device";
}

}  // namespace

RegularFile::RegularFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) ThrowDamaged(path_, "expected a regular file, got " + WhyNotOpened(errno));
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    ThrowDamaged(path_, fmt::format("expected a regular file, got {}", known ? KindOf(status.st_mode) : "none"));
  }
  bytes_ = static_cast<uint64_t>(status.st_size);
}

RegularFile::~RegularFile() { close(descriptor_); }

void RegularFile::Read(uint64_t offset, void* values, uint64_t bytes) const {
  auto* to = static_cast<char*>(values);
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t got = pread(descriptor_, to + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ThrowDamaged(path_, fmt::format("expected bytes [{}, {}), got {}", offset, offset + bytes,
                                      got < 0 ? std::strerror(errno) : "the end of the file"));
    }
    done += static_cast<uint64_t>(got);
  }
}

std::string TextOfFile(const std::string& path, uint64_t most_bytes) {
  const RegularFile file(path);
  if (file.bytes() > most_bytes) {
    ThrowDamaged(path, fmt::format("expected at most {} bytes, got {}", most_bytes, file.bytes()));
  }
  std::string text(file.bytes(), ' ');
  file.Read(0, text.data(), text.size());
  return text;
}

}  // namespace zerocts::engine
