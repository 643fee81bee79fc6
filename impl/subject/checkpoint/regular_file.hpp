// A file of a checkpoint, for reading. Nothing but a regular file is opened: a fifo would wait for a writer, and a link
// may lead anywhere.
#pragma once
#include <cstdint>
#include <string>

namespace zerocts::engine {

/// It is open while it is read alone: each of many ranks reads what all of them have written. All throw
/// std::runtime_error with the path.
class RegularFile {
 public:
  explicit RegularFile(std::string path);

  const std::string& path() const { return path_; }
  uint64_t bytes() const { return bytes_; }  // when it was looked at first
  void Read(uint64_t offset, void* values, uint64_t bytes) const;

 private:
  const std::string path_;
  const uint64_t bytes_;
};

/// Reads a file of at most so many bytes.
std::string TextOfFile(const std::string& path, uint64_t most_bytes);

}  // namespace zerocts::engine
