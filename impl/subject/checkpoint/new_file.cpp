#include "impl/subject/checkpoint/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace zerocts::engine {
namespace {

void Require(bool done, const std::string& path) {
  if (!done) throw std::runtime_error(fmt::format("{}: cannot be written ({})", path, std::strerror(errno)));
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  Require(descriptor_ >= 0, path_);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void NewFile::Write(uint64_t offset, const void* values, uint64_t bytes) {
  const auto* from = static_cast<const char*>(values);
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t wrote = pwrite(descriptor_, from + done, bytes - done, static_cast<off_t>(offset + done));
    if (wrote < 0 && errno == EINTR) continue;
    Require(wrote >= 0, path_);
    done += static_cast<uint64_t>(wrote);
  }
}

void NewFile::Finish() {
  Require(fsync(descriptor_) == 0, path_);
  Require(close(std::exchange(descriptor_, -1)) == 0, path_);
}

void WriteNewFile(const std::string& path, const std::string& text) {
  NewFile file(path);
  file.Write(0, text.data(), text.size());
  file.Finish();
}

void MakeFolder(const std::string& path) { Require(mkdir(path.c_str(), 0777) == 0, path); }

void SyncFolder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Require(descriptor >= 0, path);
  const bool synced = fsync(descriptor) == 0;
  const int error = errno;
  close(descriptor);
  errno = error;
  Require(synced, path);
}

void MoveFile(const std::string& from, const std::string& to) {
  Require(std::rename(from.c_str(), to.c_str()) == 0, to);
}

}  // namespace zerocts::engine
