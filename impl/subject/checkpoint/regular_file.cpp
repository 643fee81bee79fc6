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

/// A descriptor for reading; never of anything but a regular file.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) {
    if (descriptor_ < 0) ThrowDamaged(path, "expected a regular file, got " + WhyNotOpened(errno));
    const bool known = fstat(descriptor_, &status_) == 0;
    if (known && S_ISREG(status_.st_mode)) return;
    close(descriptor_);
    ThrowDamaged(path, fmt::format("expected a regular file, got {}", known ? KindOf(status_.st_mode) : "none"));
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  uint64_t bytes() const { return static_cast<uint64_t>(status_.st_size); }

 private:
  const int descriptor_;
  struct stat status_ {};
};

}  // namespace

RegularFile::RegularFile(std::string path) : path_(std::move(path)), bytes_(OpenFile(path_).bytes()) {}

void RegularFile::Read(uint64_t offset, void* values, uint64_t bytes) const {
  const OpenFile file(path_);
  auto* to = static_cast<char*>(values);
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t got = pread(file.descriptor(), to + done, bytes - done, static_cast<off_t>(offset + done));
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
